// The state of inferring one program. Its phases are free functions over it, each in a header of its own:
//   infer_program.h     modules and their top-level items, in order; decides what is left open at the end
//   bindings.h          `let`s, `param`s and patterns; generalises functions
//   expressions.h       one expression to a typed one
//   functions.h         function literals; calls.h, operators.h, indexing.h: what applies functions and operators
//   static_arguments.h  values that are known when the program is compiled
//   unknown_names.h     errors of names that mean nothing here, with suggestions
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

namespace axle {

// What is checked when the whole program is known.
struct DeferredChecks {
  std::vector<TypedId> literals;     // numbers, whose element types must hold them
  std::vector<WrittenName> written;  // names in signatures of the root program, which inference may have refined
};

// Calls that are followed: the bodies of the functions are inferred for each call, with the types of its arguments, in
// the order of evaluation. So the first operator that cannot take what it is given is the one that fails.
struct FollowedFunction {
  std::size_t module;
  const ast::ExprFn* literal;
  // Of a function that another one defines: the names in scope there, and the place of its own name, which tells it
  // from a binding that has its number after a trial was taken back.
  std::vector<Scope*> scopes = {};
  Span place = {};
};
struct FollowedCalls {
  static constexpr std::size_t most = 400;              // before functions are left as they were inferred
  std::map<std::uint32_t, FollowedFunction> functions;  // of the root program, by BindingId::index
  std::size_t left = most;                              // calls that may still be followed
  std::vector<Span> failed;                             // the calls that lead to the first conflict, innermost first

  // Calls whose functions fail are handed over, innermost first, with the state of the inference before them. `again`
  // infers the call once more, or what is to stand in its place, with `functions` and the scope as they are then, and
  // says whether nothing fails.
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

  // What is known so far, and its parts.
  Checked& checked;
  Solution& solution;
  Solver& solver;
  Provenance& provenance;
  TypedProgram& program;

  const CheckOptions& options;
  Diagnostics& diagnostics;
  std::size_t errors = 0;        // also those past `maxErrors`, which are not reported
  bool conflicted = false;       // a conflict was reported in the current top-level binding
  bool bindingFailed = false;    // any error was
  std::size_t refinedNames = 0;  // that a note reports
  std::set<std::pair<std::string, std::string>> missingImports;  // that an error reports: file and module
  Diagnostic unread;                                             // the error past `maxErrors`

  // The place in the program.
  std::size_t current = 0;                   // the module
  bool isRoot = false;                       // it is of the root program
  std::span<const ast::Module* const> root;  // all modules of the current program
  const ast::Module* whole = nullptr;        // its only module, where it is one
  Span at;                                   // the top-level binding
  std::vector<std::string> defining;         // the bindings around it that are being defined

  // Names in scope, outermost first.
  std::vector<Scope*> scopes;
  std::deque<Scope> ownedScopes;

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
// Solves what is pending and reports its first conflict, at most one for each top-level binding. True if there was one.
bool reportConflicts(Inference& in);
// Solves what is pending. False if anything failed since `clearFailure`.
bool settle(Inference& in);
// Forgets that something failed, so that the next conflict is reported.
void clearFailure(Inference& in);
// Counts an error that a TypeReader reported as the one of its binding; drops it where a conflict was reported before.
void acceptReaderError(Inference& in);
// Does the work within the options' limits. Past them it is given up with one more diagnostic: the result is false, and
// there are no types.
bool withinBudget(Inference& in, Diagnostics& diagnostics, const std::function<void()>& work);

// Adds "did you mean", as help and as a fix to try.
void suggestName(Diagnostic& d, Span wrong, const std::string& near);

// ---- syntax and types

// The expression inside of parentheses.
ast::ExprId withoutParentheses(const ast::Module& module, ast::ExprId id);

// What a type or a static value is now.
inline const TypeTerm& termOf(Solution& solution, TypeId type) { return solution.types[solution.resolve(type)]; }
inline const StaticTerm& termOf(Solution& solution, StaticId value) { return solution.types[solution.resolve(value)]; }

// ---- parts of a typed program

TypedId addExpr(TypedProgram& program, TypeId type, Span span, decltype(TypedExpr::node) node);
// An expression that failed: its type fits any other.
TypedId errorExpr(Inference& in, Span span);
bool isErrorExpr(Checked& checked, TypedId id);
BindingId declare(TypedProgram& program, const std::string& name, Span span, BindingKind kind, TypeId type);

TypeId errorType(Solution& solution);
TypeId tensorType(Solution& solution, ElemTerm elem, Shape shape, OriginId origin);
// The type, with `origin` for each part that has none.
TypeId withOrigin(Solution& solution, TypeId type, OriginId origin);

// ---- why constraints exist

OriginId originAt(Provenance& provenance, Span span);
ReasonId addReason(Provenance& provenance, ReasonKind kind, Span span, std::string subject);
// An argument as notes show it.
Given givenArgument(const Checked& checked, TypedId argument);

// ---- constraints

void requireFact(Solver& solver, const DimFact& fact, ReasonId why);
// Reports a ragged length of a result that does not stand behind the dimensions it is a function of, or a size that is
// computed of one. False after an error.
bool checkRaggedLengths(Inference& in, TypeId result, ReasonId why);

}  // namespace axle
