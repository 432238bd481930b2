// The state of inferring one program. Its phases are free functions over it, each in a header of its own:
//   infer_program.h     modules and their top-level items, in order; finally decides what stayed open
//   bindings.h          `let`s, `param`s and patterns; generalises functions
//   expressions.h       one expression to a typed one
//   functions.h         function literals; calls.h, operators.h, indexing.h: applications of functions and operators
//   static_arguments.h  values that are known when the program is compiled
//   unknown_names.h     errors of unknown names, with suggestions
// docs/language.md.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "typecheck/checked.h"
#include "typecheck/infer/scheme.h"
#include "typecheck/infer/weight_names.h"

namespace axle {

// Checks that need the whole program.
struct DeferredChecks {
  std::vector<TypedId> literals;     // numbers, whose element types must hold them
  std::vector<WrittenName> written;  // names in signatures of the root program, which inference may have refined
};

// A name that is read as a size where a value outside of the function has it too.
struct HiddenValue {
  std::string name;
  Span use;
  BindingId value;
};

// A function whose calls are followed: its body is inferred for each call, with the types of the arguments, in the
// order of evaluation. So the first operator that cannot take its arguments is the one that fails.
struct FollowedFunction {
  std::size_t module;
  const ast::ExprFn* literal;
  // For a function defined inside another one: the names in scope there, and the span of its own name. The span
  // distinguishes it from a binding that reuses its number after a trial was undone.
  std::vector<Scope*> scopes = {};
  Span place = {};
};
struct FollowedCalls {
  static constexpr std::size_t most = 400;              // further calls use the functions' inferred types
  std::map<std::uint32_t, FollowedFunction> functions;  // of the root program, by BindingId::index
  std::size_t left = most;                              // calls that may still be followed
  std::vector<Span> failed;                             // the calls that led to the first conflict, innermost first
  Span reached;                                         // what was inferred last before it

  // `onFailure` receives each watched call whose function fails, innermost first, with the inference in its state
  // before the call. `again` infers the call once more, or the expression in its place, with the current `functions`
  // and scope, and returns whether nothing fails.
  struct Instead {
    std::size_t module;
    ast::ExprId expression;
  };
  using Again = std::function<bool(const std::optional<Instead>&)>;
  std::vector<Span> watched;
  std::function<void(Span call, const Again& again)> onFailure;
};

struct Inference {
  Inference(Checked& c, const CheckOptions& o, Diagnostics& d)
      : checked(c),
        solution(c.solution),
        solver(c.solver),
        provenance(c.provenance),
        program(c.program),
        options(o),
        diagnostics(d) {}
  Inference(const Inference&) = delete;

  // The results so far, and their parts.
  Checked& checked;
  Solution& solution;
  Solver& solver;
  Provenance& provenance;
  TypedProgram& program;

  const CheckOptions& options;
  Diagnostics& diagnostics;
  std::size_t errors = 0;        // including those past `maxErrors`, which are not reported
  bool conflicted = false;       // a conflict was reported in the current top-level binding
  bool bindingFailed = false;    // any error was reported in it
  std::size_t refinedNames = 0;  // number reported by notes
  std::set<std::pair<std::string, std::string>> missingImports;  // reported ones: file and module
  std::optional<OtherNames> otherNames;  // of the tensors that the file lacks, once one was looked for
  Diagnostic unread;                     // receives errors past `maxErrors`

  // The place in the program.
  std::size_t current = 0;                   // the module
  bool isRoot = false;                       // it belongs to the root program
  std::span<const ast::Module* const> root;  // all modules of the current program
  const ast::Module* whole = nullptr;        // its only module, if it has one
  Span at;                                   // the top-level binding
  std::vector<std::string> defining;         // the enclosing bindings that are being defined

  // Names in scope, outermost first.
  std::vector<Scope*> scopes;
  std::deque<Scope> ownedScopes;

  std::vector<HiddenValue> hidden;  // in the current top-level binding

  DeferredChecks deferred;
  FollowedCalls* followed = nullptr;

  const ast::Module& module() const { return checked.modules.modules[current]; }
};

// ---- errors

// Adds a diagnostic; an error fails the binding. The reference is valid until the next one.
Diagnostic& addDiagnostic(Inference& in, Diagnostic diagnostic);
template <class... Args>
Diagnostic& report(Inference& in, const Message<Args...>& message, Span span,
                   const std::type_identity_t<Args>&... arguments) {
  return addDiagnostic(in, Diagnostic(message, span, arguments...));
}
// Solves the pending constraints and reports the first conflict, at most one for each top-level binding. True if there
// was one.
bool reportConflicts(Inference& in);
// Solves the pending constraints. False if anything failed since `clearFailure`.
bool settle(Inference& in);
// Clears the failure, so that the next conflict is reported.
void clearFailure(Inference& in);
// Counts an error that a TypeReader reported as that of its binding; drops it if a conflict was reported before.
void acceptReaderError(Inference& in);
// Runs the work within the options' limits. If they are exceeded, reports it, returns false, and the types are
// unusable.
bool withinBudget(Inference& in, Diagnostics& diagnostics, const std::function<void()>& work);

// Adds "did you mean", as help and as a fix to try.
void suggestName(Diagnostic& d, Span wrong, const std::string& near);

// ---- syntax and types

// Returns the expression inside parentheses.
ast::ExprId withoutParentheses(const ast::Module& module, ast::ExprId id);

// Returns the current term of a type or a static value.
inline const TypeTerm& termOf(Solution& solution, TypeId type) { return solution.types[solution.resolve(type)]; }
inline const StaticTerm& termOf(Solution& solution, StaticId value) { return solution.types[solution.resolve(value)]; }

// ---- parts of a typed program

TypedId addExpr(TypedProgram& program, TypeId type, Span span, decltype(TypedExpr::node) node);
// Makes an expression for one that failed: its type unifies with any other.
TypedId errorExpr(Inference& in, Span span);
bool isErrorExpr(Checked& checked, TypedId id);
BindingId declare(TypedProgram& program, const std::string& name, Span span, BindingKind kind, TypeId type);

TypeId errorType(Solution& solution);
TypeId tensorType(Solution& solution, ElemTerm elem, Shape shape, OriginId origin);
// Returns the type, with `origin` for each part that has none.
TypeId withOrigin(Solution& solution, TypeId type, OriginId origin);

// ---- why constraints exist

OriginId originAt(Provenance& provenance, Span span);
ReasonId addReason(Provenance& provenance, ReasonKind kind, Span span, std::string subject);
// Returns an argument as notes show it.
Given givenArgument(const Checked& checked, TypedId argument);

// ---- constraints

void requireFact(Solver& solver, const DimFact& fact, ReasonId why);
// Reports a ragged length of a result that does not follow the dimensions it is a function of, or a size computed from
// a ragged length. False after an error.
bool checkRaggedLengths(Inference& in, TypeId result, ReasonId why);

}  // namespace axle
