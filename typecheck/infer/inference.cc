#include "typecheck/infer/inference.h"

#include "typecheck/infer/hidden_values.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/solver/conflicts.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/fact_tiers.h"

namespace axle {

namespace {
constexpr Message<> tooManySteps{codes::typesTooLarge, "this program takes too many steps to check",
                                 "checking stops here"};
constexpr Message<> typesGrow{codes::typesTooLarge, "the types of this program grow too large to check",
                              "checking stops here"};
constexpr Message<> sizesGrow{codes::typesTooLarge, "the sizes of this program grow too large to check",
                              "checking stops here"};
}  // namespace

namespace {

void noteFollowedCalls(Inference& in, ReasonId within) {
  if (!in.program.exprs.empty()) in.followed->reached = in.program.exprs.back().span;
  for (ReasonId use = within; use.index; use = in.provenance[use].within)
    if (in.provenance[use].isFollowed) in.followed->failed.push_back(in.provenance[use].span);
}

}  // namespace

Diagnostic& addDiagnostic(Inference& in, Diagnostic diagnostic) {
  if (diagnostic.code->severity == Severity::error) {
    in.bindingFailed = true;
    if (in.errors++ >= maxErrors) return in.unread = {};
    if (in.followed && in.diagnostics.empty()) noteFollowedCalls(in, in.provenance.within);
  }
  return in.diagnostics.emplace_back(std::move(diagnostic));
}

bool reportConflicts(Inference& in) {
  in.solution.restartSteps();
  solve(in.solver);
  std::vector<Conflict>& conflicts = in.solver.conflicts;
  if (conflicts.empty()) return false;
  in.bindingFailed = true;
  if (!in.checked.isGraph && !in.conflicted) preferRefutedFact(in.solver);
  if (!in.conflicted && in.errors++ < maxErrors) {
    if (in.followed) noteFollowedCalls(in, in.provenance[conflicts.front().reason].within);
    tellHiddenValues(in, in.diagnostics.emplace_back(explain(in.checked, conflicts.front())));
  }
  in.conflicted = true;
  conflicts.clear();
  return true;
}

bool settle(Inference& in) { return !reportConflicts(in) && !in.bindingFailed; }

void clearFailure(Inference& in) { in.conflicted = in.bindingFailed = false; }

void acceptReaderError(Inference& in) {
  if (in.conflicted) in.diagnostics.pop_back();
  in.conflicted = in.bindingFailed = true;
}

bool withinBudget(Inference& in, Diagnostics& diagnostics, const std::function<void()>& work) {
  auto giveUp = [&](const Message<>& message, Format<> help) {
    report(diagnostics, message, in.at).addHelp(help);
    in.checked.gaveUp = true;
  };
  DimStore& dims = in.solution.dims;
  struct Limit {
    DimStore& dims;
    ~Limit() { dims.limitWork(UINT64_MAX); }
  } limit{dims};
  dims.limitWork(dims.work() + in.options.dimWork);
  in.solution.restartWork(in.options.work);
  try {
    work();
  } catch (const TooMuchWork&) {
    giveUp(tooManySteps,
           "shapes that are left open are looked at again and again; state the types of some functions in between");
  } catch (const TypesTooLarge&) {
    giveUp(typesGrow, "a tuple that holds itself twice doubles at each step; name fewer copies");
  } catch (const DimsTooLarge&) {
    giveUp(sizesGrow, "quotients of quotients multiply with each step; name a size between them");
  }
  return !in.checked.gaveUp;
}

void suggestName(Diagnostic& d, Span wrong, const std::string& near) {
  d.addHelp("did you mean {}?", arg::Name{near});
  d.fixes.push_back({d.help.back(), {{wrong, near}}});
}

ast::ExprId withoutParentheses(const ast::Module& module, ast::ExprId id) {
  while (const auto* group = std::get_if<ast::ExprGroup>(&module[id].node)) id = group->inner;
  return id;
}

TypedId addExpr(TypedProgram& program, TypeId type, Span span, decltype(TypedExpr::node) node) {
  program.exprs.push_back({type, span, std::move(node)});
  return TypedId{static_cast<std::uint32_t>(program.exprs.size() - 1)};
}

TypedId errorExpr(Inference& in, Span span) {
  in.bindingFailed = true;
  return addExpr(in.program, errorType(in.solution), span, TypedLiteral{});
}

bool isErrorExpr(Checked& checked, TypedId id) {
  return checked.solution.head(checked.program[id].type).kind == TypeKind::error;
}

BindingId declare(TypedProgram& program, const std::string& name, Span span, BindingKind kind, TypeId type) {
  TypedBinding binding;
  binding.name = name;
  binding.span = span;
  binding.kind = kind;
  binding.type = type;
  program.bindings.push_back(std::move(binding));
  return BindingId{static_cast<std::uint32_t>(program.bindings.size() - 1)};
}

TypeId errorType(Solution& solution) { return solution.types.add(TypeTerm{}); }

TypeId tensorType(Solution& solution, ElemTerm elem, Shape shape, OriginId origin) {
  TypeTerm term;
  term.kind = TypeKind::tensor;
  term.elem = elem;
  term.shape = std::move(shape);
  term.origin = origin;
  return solution.types.add(std::move(term));
}

TypeId withOrigin(Solution& solution, TypeId type, OriginId origin) {
  const TypeTerm& known = solution.types[type];
  if (known.kind == TypeKind::var || known.kind == TypeKind::error) return type;
  const auto hasOrigin = [](const ShapePart& part) { return part.origin.index != 0; };
  if (known.kind != TypeKind::tuple && known.origin.index && std::ranges::all_of(known.shape, hasOrigin)) return type;
  TypeTerm term = known;
  if (!term.origin.index) term.origin = origin;
  for (ShapePart& part : term.shape)
    if (!part.origin.index) part.origin = origin;
  if (term.kind == TypeKind::tuple)
    for (TypeId& part : term.parts) part = withOrigin(solution, part, origin);
  return solution.types.add(std::move(term));
}

OriginId originAt(Provenance& provenance, Span span) {
  Origin origin;
  origin.span = span;
  return provenance.add(std::move(origin));
}

ReasonId addReason(Provenance& provenance, ReasonKind kind, Span span, std::string subject) {
  Reason reason;
  reason.kind = kind;
  reason.span = span;
  reason.subject = std::move(subject);
  return provenance.add(std::move(reason));
}

Given givenArgument(const Checked& checked, TypedId argument) {
  const TypedExpr& expr = checked.program[argument];
  const auto* name = checked.isGraph ? nullptr : std::get_if<TypedRef>(&expr.node);
  return {expr.type, name ? checked.program[name->binding].name : std::string()};
}

void requireFact(Solver& solver, const DimFact& fact, ReasonId why) {
  addConstraint(solver, why, constraint::Fact{static_cast<const DimComparison&>(fact), fact.stretch});
}

bool checkRaggedLengths(Inference& in, TypeId result, ReasonId why) {
  if (auto length = findMisplacedLength(in.solver, result)) {
    Conflict conflict;
    conflict.kind = ConflictKind::ragged;
    conflict.reason = why;
    conflict.left = in.solution.printSize(*length);
    for (DimVar v : in.solution.dims.variables(*length))
      conflict.origins.push_back(in.solution.dimVars[v.index].origin);
    in.solver.conflicts.push_back(std::move(conflict));
  }
  return !reportConflicts(in);
}

}  // namespace axle
