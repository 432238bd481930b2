// Unification of types, shapes, elements and static values. Shapes are flattened into parts; equal parts at both ends
// are stripped, forced bindings are made, and the rest is suspended (docs/solver.md; the paper's section 5).
#include <algorithm>
#include <span>
#include <utility>

#include "typecheck/solver/attribute_forms.h"
#include "typecheck/solver/conflicts.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/rules.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
bool bindType(Solver& solver, TypeVar v, TypeId to, ReasonId reason) {
  Solution& solution = solver.solution;
  OpenVariables variables;
  collectVariables(solver, to, variables);
  for (TypeVar inner : variables.types)
    if (inner == v) return fail(solver, conflictOf(ConflictKind::occurs, reason, "", "", {solution.types[to].origin}));
  lowerLevels(solver, variables, solution.typeVars[v.index].level);
  solution.typeVars.edit(v.index).binding = to;
  wake(solver, solver.typeWatch, v.index);
  return true;
}

namespace {

bool unifyTuples(Solver& solver, const TypeTerm& a, const TypeTerm& b, ReasonId reason) {
  if (a.parts.size() != b.parts.size())
    return fail(solver, conflictOf(ConflictKind::tupleArity, reason, std::to_string(a.parts.size()),
                                   std::to_string(b.parts.size()), {a.origin, b.origin}));
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    if (!unify(solver, a.parts[i], b.parts[i], reason)) return false;
  return true;
}

bool unifyFunctions(Solver& solver, const TypeTerm& a, const TypeTerm& b, ReasonId reason) {
  if (a.parts.size() != b.parts.size())
    return fail(solver, conflictOf(ConflictKind::functionArity, reason, std::to_string(a.parts.size()),
                                   std::to_string(b.parts.size()), {a.origin, b.origin}));
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    if (!unify(solver, a.parts[i], b.parts[i], reason)) return false;
  // Static parameters that only one side has take their defaults.
  for (const auto* side : {&a, &b}) {
    const TypeTerm& other = side == &a ? b : a;
    for (const StaticField& field : side->statics) {
      auto match = std::find_if(other.statics.begin(), other.statics.end(),
                                [&](const StaticField& f) { return f.name == field.name; });
      if (!unifyStatic(solver, field.value, match == other.statics.end() ? field.defaultValue : match->value, reason))
        return false;
    }
  }
  return unify(solver, a.result, b.result, reason);
}

}  // namespace

namespace {

// Returns the type that a variable is bound to; none for another type or an unbound variable.
std::optional<TypeId> boundTo(const Solution& solution, TypeId type) {
  const TypeTerm& term = solution.types[type];
  return term.kind == TypeKind::var ? solution.typeVars[term.var.index].binding : std::nullopt;
}

}  // namespace

bool unify(Solver& solver, TypeId left, TypeId right, ReasonId reason) {
  Solution& solution = solver.solution;
  solution.step();
  if (left == right) return true;
  for (TypeId* side : {&left, &right})
    while (const auto bound = boundTo(solution, *side)) *side = *bound;
  const TypeTerm &a = solution.types[left], &b = solution.types[right];
  if (a.kind == TypeKind::error || b.kind == TypeKind::error) return true;
  if (a.kind == TypeKind::var && b.kind == TypeKind::var && a.var == b.var) return true;
  if (a.kind == TypeKind::var) return bindType(solver, a.var, right, reason);
  if (b.kind == TypeKind::var) return bindType(solver, b.var, left, reason);
  if (a.kind != b.kind) {
    auto what = [](TypeKind k) {
      return k == TypeKind::tensor ? "a tensor" : k == TypeKind::tuple ? "a tuple" : "a function";
    };
    return fail(solver, conflictOf(ConflictKind::type, reason, what(a.kind), what(b.kind), {a.origin, b.origin}));
  }
  if (a.kind == TypeKind::tuple) return unifyTuples(solver, a, b, reason);
  if (a.kind == TypeKind::function) return unifyFunctions(solver, a, b, reason);
  if (!unifyElem(solver, a.elem, b.elem, a.origin, b.origin, reason)) return false;
  std::size_t before = solver.conflicts.size();
  if (unifyShape(solver, a.shape, b.shape, reason)) return true;
  if (solver.conflicts.size() > before)
    for (OriginId o : {a.origin, b.origin})
      if (o.index && solver.conflicts.back().kind == ConflictKind::rank) solver.conflicts.back().origins.push_back(o);
  return false;
}

bool narrowElem(Solver& solver, ElemTerm elem, ElemClass elemClass, OriginId asked, OriginId given, ReasonId reason) {
  Solution& solution = solver.solution;
  elem = solution.resolve(elem);
  if (!elem.isVar) {
    if (contains(elemClass, elem.elem)) return true;
    return fail(solver, conflictOf(ConflictKind::elemClass, reason, name(elemClass), std::string(info(elem.elem).name),
                                   {asked, given}));
  }
  const ElemVarInfo& v = solution.elemVars[elem.var.index];
  auto both = meet(v.elemClass, elemClass);
  if (!both)
    return fail(solver,
                conflictOf(ConflictKind::elemClass, reason, name(elemClass), name(v.elemClass), {asked, v.origin}));
  if (*both == v.elemClass) return true;
  ElemVarInfo& narrowed = solution.elemVars.edit(elem.var.index);
  narrowed.origin = asked;
  narrowed.elemClass = *both;
  return true;
}

bool unifyElem(Solver& solver, ElemTerm a, ElemTerm b, OriginId originA, OriginId originB, ReasonId reason) {
  Solution& solution = solver.solution;
  auto boundBy = [&](ElemTerm e, OriginId otherwise) {
    while (e.isVar && solution.elemVars[e.var.index].binding) {
      if (solution.elemVars[e.var.index].boundBy.index) otherwise = solution.elemVars[e.var.index].boundBy;
      e = *solution.elemVars[e.var.index].binding;
    }
    return otherwise;
  };
  OriginId fromA = boundBy(a, originA), fromB = boundBy(b, originB);
  a = solution.resolve(a);
  b = solution.resolve(b);
  if (a == b) return true;
  if (!a.isVar && !b.isVar)
    return fail(solver, conflictOf(ConflictKind::elem, reason, std::string(info(a.elem).name),
                                   std::string(info(b.elem).name), {fromA, fromB}));
  if (!a.isVar) {
    std::swap(a, b);
    std::swap(fromA, fromB);
  }
  // a is a variable; b may be anything
  if (b.isVar && !solution.elemVars[a.var.index].name.empty() && solution.elemVars[b.var.index].name.empty()) {
    std::swap(a, b);
    std::swap(fromA, fromB);
  }
  const ElemVarInfo& v = solution.elemVars[a.var.index];
  if (!narrowElem(solver, b, v.elemClass, v.origin.index ? v.origin : fromA, fromB, reason)) return false;
  if (b.isVar && solution.elemVars[b.var.index].level > v.level) solution.elemVars.edit(b.var.index).level = v.level;
  ElemVarInfo& bound = solution.elemVars.edit(a.var.index);
  bound.binding = b;
  bound.boundBy = fromB;
  wake(solver, solver.elemWatch, a.var.index);
  return true;
}

bool bindShape(Solver& solver, ShapeVar v, const Shape& to, ReasonId reason, OriginId origin) {
  Solution& solution = solver.solution;
  if (to.size() == 1 && to[0].isVar && to[0].var == v) return true;
  if (solution.shapeVars[v.index].runtime) {
    if (to.size() == 1 && to[0].isVar && !solution.shapeVars[to[0].var.index].runtime)
      return bindShape(solver, to[0].var, {ShapePart::of(v)}, reason, origin);
    const bool isOfMatch = reason.index && solver.provenance[reason].kind == ReasonKind::match;
    if (isOfMatch) return true;  // checked when the run reaches the match
    std::string runtime = show(solver, {ShapePart::of(v)});
    return fail(solver, conflictOf(ConflictKind::escape, reason, std::move(runtime), show(solver, to), {origin}));
  }
  OpenVariables variables;
  collectVariables(solver, to, variables);
  if (const auto times = std::count(variables.shapes.begin(), variables.shapes.end(), v); times > 0) {
    // v = p @ v @ q: everything besides v is empty, and v itself too if it occurs there twice.
    for (const ShapePart& part : solution.resolve(to)) {
      if (!part.isVar)
        return fail(solver, conflictOf(ConflictKind::rank, reason, solution.shapeVars[v.index].name, show(solver, to),
                                       {origin}));
      if (part.var != v && !bindShape(solver, part.var, {}, reason, origin)) return false;
    }
    return times == 1 || bindShape(solver, v, {}, reason, origin);
  }
  bool variableOnly = to.size() == 1 && to[0].isVar;
  if (variableOnly) {  // binds the literal's variable, otherwise the one without a user's name
    const ShapeVarInfo& mine = solution.shapeVars[v.index];
    const ShapeVarInfo& other = solution.shapeVars[to[0].var.index];
    if (other.literal && !mine.literal) return bindShape(solver, to[0].var, {ShapePart::of(v)}, reason, origin);
    if (mine.metLiteral) solution.shapeVars.edit(to[0].var.index).metLiteral = true;
  }
  lowerLevels(solver, variables, solution.shapeVars[v.index].level);
  ShapeVarInfo& bound = solution.shapeVars.edit(v.index);
  bound.binding = to;
  bound.boundBy = origin;
  bound.boundWhy = reason;
  wake(solver, solver.shapeWatch, v.index);
  const ReasonId unragged = solution.shapeVars[v.index].unragged, whole = solution.shapeVars[v.index].whole;
  if (unragged.index && !requireUnragged(solver, to, unragged)) return false;
  return !whole.index || requireWhole(solver, to, whole);
}

bool unifyShape(Solver& solver, const Shape& a, const Shape& b, ReasonId reason) {
  Progress progress = tryShapeEqual(solver, a, b, reason);
  if (progress == Progress::waiting) {
    addConstraint(solver, reason, constraint::ShapeEqual{a, b});
  }
  return progress != Progress::failed;
}

namespace {

using ShapeParts = std::span<const ShapePart>;

bool isOfSizesOnly(ShapeParts parts) {
  return std::none_of(parts.begin(), parts.end(), [](const ShapePart& p) { return p.isVar; });
}

std::size_t countSizes(ShapeParts parts) {
  return static_cast<std::size_t>(
      std::count_if(parts.begin(), parts.end(), [](const ShapePart& p) { return !p.isVar; }));
}

// Whether one side has more sizes than the other can have.
bool ranksDiffer(ShapeParts a, ShapeParts b) {
  const bool aIsFixed = isOfSizesOnly(a), bIsFixed = isOfSizesOnly(b);
  return (aIsFixed && countSizes(b) > a.size()) || (bIsFixed && countSizes(a) > b.size()) ||
         (aIsFixed && bIsFixed && a.size() != b.size());
}

Progress failRanks(Solver& solver, const Shape& a, const Shape& b, ReasonId reason) {
  Conflict c = conflictOf(ConflictKind::rank, reason, showKnown(solver, a), showKnown(solver, b), {});
  for (const Shape* s : {&a, &b})
    if (!s->empty() && s->front().origin.index) c.origins.push_back(s->front().origin);
  fail(solver, std::move(c));
  return Progress::failed;
}

enum class ShapeEnd : std::uint8_t { leading, trailing };

// Equates the sizes from one end of both shapes up to the first variable that the other shape does not have in the same
// place, and removes them. False if two sizes differ.
bool stripEnd(Solver& solver, ShapeEnd end, ShapeParts& a, ShapeParts& b, ReasonId reason) {
  while (!a.empty() && !b.empty()) {
    const bool isLeading = end == ShapeEnd::leading;
    const ShapePart &x = isLeading ? a.front() : a.back(), &y = isLeading ? b.front() : b.back();
    if (x.isVar != y.isVar || (x.isVar && x.var != y.var)) return true;
    if (!x.isVar && !unifyDim(solver, x, y, reason)) return false;
    for (ShapeParts* side : {&a, &b}) *side = isLeading ? side->subspan(1) : side->first(side->size() - 1);
  }
  return true;
}

// Binds the variables among the parts to the empty shape.
bool bindToEmpty(Solver& solver, ShapeParts parts, ReasonId reason) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](const ShapePart& part) { return !part.isVar || bindShape(solver, part.var, {}, reason, {}); });
}

// Binds the variable `a` to `b`; if both are variables, binds the one without a user's name.
Progress equateVariable(Solver& solver, ShapeParts a, ShapeParts b, ReasonId reason) {
  const Shape to(b.begin(), b.end());
  if (to.size() > 1 || !to[0].isVar) return doneIf(bindShape(solver, a[0].var, to, reason, to[0].origin));
  const ShapeVarInfo& infoA = solver.solution.shapeVars[a[0].var.index];
  const ShapeVarInfo& infoB = solver.solution.shapeVars[to[0].var.index];
  const bool keepsA = infoA.named != infoB.named ? infoA.named : infoB.level >= infoA.level;
  return doneIf(keepsA ? bindShape(solver, to[0].var, Shape(a.begin(), a.end()), reason, {})
                       : bindShape(solver, a[0].var, to, reason, {}));
}

// Whether both shapes consist of sizes and one variable each, in the same places, as `s @ [n] @ s` and `r @ [m] @ r`:
// then the two variables have the same rank.
bool haveParallelVariable(ShapeParts a, ShapeParts b) {
  const ShapePart *ofA = nullptr, *ofB = nullptr;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a.size() != b.size() || a[i].isVar != b[i].isVar) return false;
    if (!a[i].isVar) continue;
    if (!ofA) ofA = &a[i], ofB = &b[i];
    if (a[i].var != ofA->var || b[i].var != ofB->var) return false;
  }
  return ofA != nullptr;
}

}  // namespace

Progress tryShapeEqual(Solver& solver, const Shape& left, const Shape& right, ReasonId reason) {
  const Shape wholeA = solver.solution.flatten(left), wholeB = solver.solution.flatten(right);
  ShapeParts a = wholeA, b = wholeB;
  // Compares ranks first, so that a rank error is not reported as a difference of two sizes.
  if (ranksDiffer(a, b)) return failRanks(solver, wholeA, wholeB, reason);
  if (!stripEnd(solver, ShapeEnd::trailing, a, b, reason) || !stripEnd(solver, ShapeEnd::leading, a, b, reason))
    return Progress::failed;
  if (a.empty() || b.empty()) {
    for (const ShapePart& part : a.empty() ? b : a) {
      if (!part.isVar) return failRanks(solver, wholeA, wholeB, reason);
      if (!bindShape(solver, part.var, {}, reason, {})) return Progress::failed;
    }
    return Progress::done;
  }
  if (a.size() == 1 && a[0].isVar) return equateVariable(solver, a, b, reason);
  if (b.size() == 1 && b[0].isVar) return equateVariable(solver, b, a, reason);
  for (const auto& [known, open] : {std::pair(a, b), std::pair(b, a)})
    if (isOfSizesOnly(known) && countSizes(open) == known.size())
      return bindToEmpty(solver, open, reason) ? tryShapeEqual(solver, left, right, reason) : Progress::failed;
  if (haveParallelVariable(a, b)) {
    const auto isVariable = [](const ShapePart& part) { return part.isVar; };
    const ShapeParts ofA(std::ranges::find_if(a, isVariable), 1), ofB(std::ranges::find_if(b, isVariable), 1);
    if (equateVariable(solver, ofA, ofB, reason) == Progress::failed) return Progress::failed;
    return tryShapeEqual(solver, left, right, reason);
  }
  return Progress::waiting;
}

namespace {

// What a static argument is, for people: "a list of 2", "true".
std::string kindOf(Solver& solver, const StaticTerm& term) {
  switch (term.kind) {
    case StaticKind::list:
      return "a list of " + std::to_string(term.items.size());
    case StaticKind::dim:
      return "the number " + show(solver, term.dim);
    case StaticKind::boolean:
      return term.boolean ? "true" : "false";
    case StaticKind::text:
      return '"' + term.text + '"';
    case StaticKind::real:
      return "the number " + term.text;
    default:
      return "another value";
  }
}

}  // namespace

bool unifyStatic(Solver& solver, StaticId left, StaticId right, ReasonId reason) {
  Solution& solution = solver.solution;
  left = solution.resolve(left);
  right = solution.resolve(right);
  if (left == right) return true;
  StaticTerm a = solution.types[left], b = solution.types[right];
  if (a.kind != StaticKind::var && b.kind == StaticKind::var) {
    std::swap(a, b);
    std::swap(left, right);
  }
  if (a.kind == StaticKind::var) {
    if (b.kind == StaticKind::var && b.var == a.var) return true;
    OpenVariables variables;
    collectVariables(solver, right, variables);
    lowerLevels(solver, variables, solution.staticVars[a.var.index].level);
    solution.staticVars.edit(a.var.index).binding = right;
    wake(solver, solver.staticWatch, a.var.index);
    return true;
  }
  auto differ = [&] {
    Conflict c = conflictOf(ConflictKind::attribute, reason, "", "", {});
    c.text = "needs " + kindOf(solver, a) + ", but gets " + kindOf(solver, b);
    return fail(solver, std::move(c));
  };
  if (a.kind != b.kind) return differ();
  switch (a.kind) {
    case StaticKind::dim:
      return unifyDim(solver, ShapePart::of(a.dim), ShapePart::of(b.dim), reason);
    case StaticKind::boolean:
      return a.boolean == b.boolean || differ();
    case StaticKind::text:
      return a.text == b.text || differ();
    case StaticKind::real:
      return a.real == b.real || differ();
    case StaticKind::list:
      if (a.items.size() != b.items.size()) return differ();
      for (std::size_t i = 0; i < a.items.size(); ++i)
        if (!unifyStatic(solver, a.items[i], b.items[i], reason)) return false;
      return true;
    default:
      return true;
  }
}

Progress constraint::ShapeEqual::run(Solver& solver, ReasonId reason) {
  return tryShapeEqual(solver, left, right, reason);
}

}  // namespace axle
