// Infers the modules of a program, item by item, and finally decides what stayed open.
#pragma once

#include "typecheck/infer/inference.h"

namespace axle::codes {
inline const DiagnosticCode nameRefined{"N0301", Severity::note, "a name is inferred to be something"};
inline const DiagnosticCode promiseNarrowed{"E0320", Severity::warning, "a promised size is narrowed"};
inline const DiagnosticCode narrowingRefused{"E0321", Severity::error, "a narrowed size is refused"};
}  // namespace axle::codes

namespace axle {

// Infers all modules of the program.
void inferProgram(Inference& in);
// The two halves of inferProgram: the modules that the root program imports, and the root program.
void inferImports(Inference& in);
void inferRoot(Inference& in);
// Infers the root program in parts: inferRootItems infers its next items, finishRoot decides what stays open after the
// last one. Calls `goOn`, if given, after each item; if it returns false, skips the rest and returns false. `before`
// marks the variables before the first item.
bool inferRootItems(Inference& in, std::span<const ProgramItem> items, const std::function<bool()>& goOn = {});
void finishRoot(Inference& in, const VariableMark& before);
// Infers the items of the last module, which was added to a checked program, in that program's scope.
void inferMore(Inference& in);
// Infers the first `modules` modules, which the root program imports.
void inferImported(Inference& in, std::size_t modules);

// ---- a root whose statements are inferred one by one (typecheck/incremental)

// Makes a statement, which is a module by itself, the current place. `names` are those in scope, `root` all statements.
void enterStatement(Inference& in, std::size_t module, Scope& names, std::span<const ast::Module* const> root);
void inferItem(Inference& in, const ast::Item& item);
// Settles the constraints in the schemes of these bindings again: a later use may have determined a parameter of the
// module, and types must not depend on the order of uses.
void refreshSchemes(Inference& in, std::size_t firstBinding, std::size_t lastBinding);
// Gives defaults to what the module's values leave open. Returns whether any of their variables was bound by this: then
// schemes that wait for them can be settled again.
bool settleModule(Inference& in, const VariableMark& since);
// Reports numbers that do not fit their element type. Numbers whose element type is open are checked when an entry uses
// them.
void checkLiterals(Inference& in, const std::vector<TypedId>& literals);
// Reports names in signatures whose size or shape inference made less general than written: as a note, or for promised
// names as a warning or an error, depending on the options.
void noteRefinedNames(Inference& in, const std::vector<WrittenName>& written);
// Whether a label of such a report marks a further name.
bool isOtherName(const Label& label);

}  // namespace axle
