// Infers the modules of a program, item by item, and decides at the end what no item needed to know.
#pragma once

#include "typecheck/infer/inference.h"

namespace axle::codes {
inline const DiagnosticCode nameRefined{"N0301", Severity::note, "a name is inferred to be something"};
inline const DiagnosticCode promiseNarrowed{"E0320", Severity::warning, "a promised size is narrowed"};
inline const DiagnosticCode narrowingRefused{"E0321", Severity::error, "a narrowed size is refused"};
}  // namespace axle::codes

namespace axle {

// All modules of the program.
void inferProgram(Inference& in);
// Its two halves: the modules that the root program imports, and the root program.
void inferImports(Inference& in);
void inferRoot(Inference& in);
// The root program in parts: some of its items, the next ones, and what is decided behind the last one. After each item
// `goOn` is asked, if there is one; where it says no, the rest is left out, and the result is false. `before`: the
// variables before the first item.
bool inferRootItems(Inference& in, std::span<const ProgramItem> items, const std::function<bool()>& goOn = {});
void finishRoot(Inference& in, const VariableMark& before);
// The items of the last module, which was added to a program that was checked: in that program's scope.
void inferMore(Inference& in);
// The first `modules` modules, which the root program imports.
void inferImported(Inference& in, std::size_t modules);

// ---- a root whose statements are inferred one by one (typecheck/incremental)

// Makes a statement, which is a module of its own, the place. `names` are those in scope, `root` all statements.
void enterStatement(Inference& in, std::size_t module, Scope& names, std::span<const ast::Module* const> root);
void inferItem(Inference& in, const ast::Item& item);
// Settles the constraints in the schemes of these bindings again: a later use may have decided what a parameter of the
// module is, and types must not depend on the order of uses.
void refreshSchemes(Inference& in, std::size_t firstBinding, std::size_t lastBinding);
// Gives defaults to what the module's values leave open. Returns whether any of their variables was bound by this: then
// schemes that wait for them can be settled again.
bool settleModule(Inference& in, const VariableMark& since);
// Reports the numbers that their element type cannot hold. Numbers whose element type is open are checked where an
// entry uses them.
void checkLiterals(Inference& in, const std::vector<TypedId>& literals);
// Notes the names in signatures whose size or shape inference made less general than it reads; warns of those that are
// promised, or refuses them, as the options say.
void noteRefinedNames(Inference& in, const std::vector<WrittenName>& written);
// Whether a label of such a report marks a further name.
bool isOtherName(const Label& label);

}  // namespace axle
