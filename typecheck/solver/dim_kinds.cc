// Dimensions that are not plain sizes: run-time sizes, which no caller can know; ragged lengths, which are functions;
// streamed dimensions, which no operation may need as a whole (docs/shapes.md).
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

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

// Whether an equation may bind `v` to `to`: a ragged length only to ragged lengths, a stream only to a size that is
// streamed or may become so.
bool mayBind(Solver& solver, DimVar v, Dim to) {
  Solution& solution = solver.solution;
  const DimVarInfo& info = solution.dimVars[v.index];
  if (info.rigid) return false;
  if (info.kind == DimKind::ragged) return solution.kindOf(to) == DimKind::ragged;
  if (info.kind != DimKind::streamed || solution.streamsAreSizes) return true;
  if (isStreamed(solver, to)) return true;
  auto variables = solution.dims.variables(to);
  return std::any_of(variables.begin(), variables.end(), [&](DimVar other) {
    const DimVarInfo& o = solution.dimVars[other.index];
    return o.kind == DimKind::plain && !o.rigid;
  });
}

std::optional<Progress> equateByKinds(Solver& solver, const ShapePart& a, const ShapePart& b, ReasonId reason) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  Dim left = solution.resolve(a.dim), right = solution.resolve(b.dim);
  bool known = reason.index && solver.provenance[reason].kind == ReasonKind::match;  // checked when the run comes there
  bool anyRuntime = false, anyRagged = false, anyFree = false, anyStream = false;
  for (Dim side : {left, right}) {
    if (dims.isUndefined(side)) return std::nullopt;
    for (DimVar v : dims.variables(side)) {
      const DimVarInfo& info = solution.dimVars[v.index];
      if (info.closed) return failSizes(solver, ConflictKind::escape, a, b, reason);
      anyRuntime |= info.kind == DimKind::runtime && info.rigid;
      anyRagged |= info.kind == DimKind::ragged;
      const bool streams = info.kind == DimKind::streamed && !solution.streamsAreSizes;
      anyStream |= streams;
      anyFree |= !info.rigid && !streams;
    }
  }
  if (left == right) return Progress::done;
  if (anyRagged) {
    auto x = dims.asVariable(left), y = dims.asVariable(right);
    if (!x || !y) return failSizes(solver, ConflictKind::ragged, a, b, reason);
    const DimVarInfo &p = solution.dimVars[x->index], &q = solution.dimVars[y->index];
    bool lengths = p.kind == q.kind && !(p.rigid && q.rigid);
    bool learnt =
        (p.kind != DimKind::ragged && !p.rigid && !p.regular) || (q.kind != DimKind::ragged && !q.rigid && !q.regular);
    if (!lengths && !learnt) return failSizes(solver, ConflictKind::ragged, a, b, reason);
    return std::nullopt;
  }
  if (anyRuntime && !anyFree) {
    if (!known) return failSizes(solver, ConflictKind::escape, a, b, reason);
    addFact(solver, left, FactRelation::eq, right, reason);
    return Progress::done;
  }
  if (anyStream && !anyFree && !(isStreamed(solver, left) && isStreamed(solver, right)))
    return failSizes(solver, ConflictKind::stream, a, b, reason);
  return std::nullopt;
}

// Solves c*k = a run-time size for k: k is the quotient, and the run checks that c divides it.
bool solveByQuotient(Solver& solver, Dim difference, const ShapePart& a, const ShapePart& b, ReasonId reason) {
  DimStore& dims = solver.solution.dims;
  const ReasonKind kind = solver.provenance[reason].kind;
  if (kind != ReasonKind::match && kind != ReasonKind::call) return false;
  std::optional<DimVar> open;
  bool ofTheRun = false;
  for (DimVar v : dims.variables(difference)) {
    const DimVarInfo& info = solver.solution.dimVars[v.index];
    if (info.kind != (info.rigid ? DimKind::runtime : DimKind::plain) || (!info.rigid && (open || !info.isSize)))
      return false;
    ofTheRun |= info.rigid;
    if (!info.rigid) open = v;
  }
  if (!open || !ofTheRun) return false;
  const Factor factor{false, open->index, 1};
  std::int64_t count = 0;
  for (const Term& term : dims.terms(difference))
    if (term.factors == std::vector<Factor>{factor}) count = term.coefficient;
  Dim rest = dims.sub(difference, dims.fromTerms({Term{count, {factor}}}));
  auto others = dims.variables(rest);
  if (count == 0 || dims.isUndefined(rest) || std::binary_search(others.begin(), others.end(), *open)) return false;
  Dim whole = count < 0 ? rest : dims.mul(dims.constant(-1), rest), divisor = dims.constant(std::abs(count));
  Dim quotient = dims.div(whole, divisor);
  std::vector<OriginId> origins = originsOf(solver, ShapePart::of(rest));
  for (const ShapePart* side : {&a, &b})
    if (origins.empty()) origins = originsOf(solver, *side);
  bindDim(solver, *open, quotient, reason, origins.empty() ? OriginId{} : origins.front());
  addFact(solver, dims.mod(whole, divisor), FactRelation::eq, dims.constant(0), reason);
  if (!isNonNegative(solver, quotient)) addFact(solver, quotient, FactRelation::ge, dims.constant(0), reason);
  return true;
}

// Finds a size that only a run-time size could determine but does not. Nothing more will be learnt about such a size.
bool checkDetermined(Solver& solver, const std::function<bool(const Constraint&)>& choose,
                     const std::vector<TypeId>& given) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  OpenVariables known;
  for (TypeId type : given) collectVariables(solver, type, known);
  for (const Pending<constraint::DimEqual>& waiting : pendingOf<constraint::DimEqual>(solver)) {
    const Constraint equation{waiting.reason, *waiting.constraint};
    if (!choose(equation)) continue;
    OpenVariables mentioned;
    collectVariables(solver, equation, mentioned);
    std::optional<DimVar> open;
    bool ofTheRun = false;
    for (DimVar v : mentioned.dims) {
      const DimVarInfo& info = solution.dimVars[v.index];
      ofTheRun |= info.rigid && info.kind == DimKind::runtime;
      if (!info.rigid && std::find(known.dims.begin(), known.dims.end(), v) == known.dims.end()) open = v;
    }
    if (!open || !ofTheRun) continue;
    Conflict c;
    c.kind = ConflictKind::undetermined;
    c.reason = equation.reason;
    ShapePart a = waiting->left, b = waiting->right;
    auto vars = dims.variables(solution.resolve(a.dim));
    if (!std::binary_search(vars.begin(), vars.end(), *open)) std::swap(a, b);
    c.left = show(solver, a.dim);
    c.right = show(solver, b.dim);
    c.sizeName = dims.name(*open);
    c.origins = originsOf(solver, a);
    c.leftOrigins = c.origins.size();
    for (OriginId o : originsOf(solver, b)) c.origins.push_back(o);
    return fail(solver, std::move(c));
  }
  return true;
}

bool isStreamed(Solver& solver, Dim d) { return solver.solution.kindOf(d) == DimKind::streamed; }

// For `difference` >= 0: a stream grows, so a size that grows with it reaches 0 after a delay.
bool isReachedByStream(Solver& solver, Dim difference) {
  DimStore& dims = solver.solution.dims;
  bool grows = false;
  for (const Term& term : dims.terms(difference)) {
    bool ofStream = false;
    for (const Factor& f : term.factors) {
      if (!f.isAtom) {
        ofStream |= solver.solution.dimVars[f.index].kind == DimKind::streamed;
        continue;
      }
      const Atom atom = dims.atom(f.index);
      if (!isStreamed(solver, atom.left) && !isStreamed(solver, atom.right)) continue;
      if (atom.op != DimOp::div || !dims.asConstant(atom.right) || !isReachedByStream(solver, atom.left)) return false;
      ofStream = true;
    }
    if (ofStream && term.coefficient < 0) return false;
    grows |= ofStream;
  }
  return grows;
}

bool requireWhole(Solver& solver, Dim d, ReasonId reason) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  d = solution.resolve(d);
  if (dims.isUndefined(d) || solution.streamsAreSizes) return true;
  for (DimVar v : std::vector<DimVar>(dims.variables(d).begin(), dims.variables(d).end())) {
    const DimVarInfo& info = solution.dimVars[v.index];
    if (info.kind == DimKind::streamed) {
      Conflict c;
      c.kind = ConflictKind::stream;
      c.reason = reason;
      c.text = show(solver, d);
      c.origins = originsOf(solver, ShapePart::of(d));
      return fail(solver, std::move(c));
    }
    if (!info.whole.index) solution.dimVars.edit(v.index).whole = reason;
  }
  return true;
}

bool requireWhole(Solver& solver, const Shape& shape, ReasonId reason) {
  Solution& solution = solver.solution;
  for (const ShapePart& part : solution.resolve(shape)) {
    if (!part.isVar && !requireWhole(solver, part.dim, reason)) return false;
    if (part.isVar && !solution.shapeVars[part.var.index].whole.index)
      solution.shapeVars.edit(part.var.index).whole = reason;
  }
  return true;
}

bool requireUnragged(Solver& solver, Dim d, ReasonId reason) {
  Solution& solution = solver.solution;
  auto v = solution.dims.asVariable(solution.resolve(d));
  if (!v) return true;
  const DimVarInfo& info = solution.dimVars[v->index];
  if (info.kind != DimKind::ragged) {
    if (!info.unragged.index) solution.dimVars.edit(v->index).unragged = reason;
    return true;
  }
  Conflict c;
  c.kind = ConflictKind::unragged;
  c.reason = reason;
  c.left = show(solver, d);
  c.origins = originsOf(solver, ShapePart::of(d));
  return fail(solver, std::move(c));
}

bool requireUnragged(Solver& solver, const Shape& shape, ReasonId reason) {
  Solution& solution = solver.solution;
  for (const ShapePart& part : solution.resolve(shape)) {
    if (!part.isVar && !requireUnragged(solver, part.dim, reason)) return false;
    if (part.isVar && !solution.shapeVars[part.var.index].unragged.index)
      solution.shapeVars.edit(part.var.index).unragged = reason;
  }
  return true;
}

// Returns the equation that put `v` into a type; none if `v` was written there.
ReasonId findIntroducingEquation(Solver& solver, DimVar v) {
  Solution& solution = solver.solution;
  auto mentions = [&](Dim d) {
    auto all = solution.dims.variables(d);
    return std::binary_search(all.begin(), all.end(), v);
  };
  for (const DimVarInfo& other : solution.dimVars)
    if (other.boundWhy.index && other.binding && mentions(*other.binding)) return other.boundWhy;
  for (const ShapeVarInfo& other : solution.shapeVars)
    if (other.boundWhy.index && other.binding &&
        std::any_of(other.binding->begin(), other.binding->end(),
                    [&](const ShapePart& p) { return !p.isVar && mentions(p.dim); }))
      return other.boundWhy;
  return {};
}

bool checkGivenType(Solver& solver, TypeId given, std::size_t from, const std::string& name) {
  Solution& solution = solver.solution;
  if (!checkEscape(solver, given, from, name)) return false;
  auto length = findMisplacedLength(solver, given);
  auto v = length ? solution.dims.asVariable(*length) : std::nullopt;
  if (!v) return true;
  Conflict c;
  c.kind = ConflictKind::ragged;
  c.reason = findIntroducingEquation(solver, *v);
  if (!c.reason.index) return true;  // a written one is reported where it is written
  c.left = show(solver, *length);
  c.sizeName = name;
  c.origins = {solution.dimVars[v->index].origin};
  c.leftOrigins = 1;
  return fail(solver, std::move(c));
}

bool checkEscape(Solver& solver, TypeId given, std::size_t from, const std::string& name) {
  Solution& solution = solver.solution;
  OpenVariables variables;
  collectVariables(solver, given, variables);
  for (DimVar k : variables.dims) {
    const DimVarInfo& info = solution.dimVars[k.index];
    if (k.index < from || !info.rigid || info.universal || info.kind != DimKind::runtime) continue;
    Conflict c;
    c.kind = ConflictKind::escape;
    c.reason = findIntroducingEquation(solver, k);
    c.left = name;
    c.right = show(solver, solution.dims.variable(k));
    c.text = info.maker;
    c.origins = {info.origin};
    return fail(solver, std::move(c));
  }
  return true;
}

void closeRuntimeSizes(Solver& solver, TypeId result, std::size_t from) {
  OpenVariables variables;
  collectVariables(solver, result, variables);
  for (DimVar v : variables.dims) {
    const DimVarInfo& info = solver.solution.dimVars[v.index];
    bool made = v.index >= from && info.rigid && !info.universal;
    if (made && (info.kind == DimKind::runtime || info.kind == DimKind::ragged))
      solver.solution.dimVars.edit(v.index).closed = true;
  }
}

// ---- elements of `map` and `loop` -------------------------------------------------------------------------------

namespace {

// Returns the length of one element of the ragged length `whole`; `before` are the element's sizes before it.
DimVar elementLength(Solver& solver, DimVar whole, const Shape& before, ReasonId reason) {
  Solution& solution = solver.solution;
  if (const DimVar* known = solver.elementLengths.find({whole.index, reason.index})) return *known;
  // Directly after the elements' dimension it is one length, otherwise a function of the other dimensions.
  const DimKind kind = before.empty() ? DimKind::runtime : DimKind::ragged;
  const OriginId origin = solution.dimVars[whole.index].origin;
  const DimVar length = freshRigid(solver, solution.dims.name(whole), kind, origin, solver.provenance[reason].subject);
  solver.elementLengths.insert({whole.index, reason.index}, length);
  DimVarInfo& info = solution.dimVars.edit(length.index);
  info.lengthOf = whole;
  info.element = reason;
  info.over = before;
  return length;
}

}  // namespace

Progress constraint::Element::run(Solver& solver, ReasonId reason) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  Shape from = solution.resolve(operand), to;
  if (!isGiven && std::any_of(from.begin(), from.end(), [](const ShapePart& p) { return p.isVar; }))
    return Progress::waiting;
  for (const ShapePart& part : from) {
    auto v = part.isVar ? std::nullopt : dims.asVariable(part.dim);
    const DimVarInfo* info = v ? &solution.dimVars[v->index] : nullptr;
    if (!info || info->kind != DimKind::ragged || to.size() >= info->over.size()) {
      to.push_back(part);
      continue;
    }
    to.push_back(ShapePart::of(dims.variable(elementLength(solver, *v, to, reason)), part.origin));
  }
  return doneIf(unifyShape(solver, result, to, reason));
}

void settleElementShapes(Solver& solver) {
  for (Constraint& c : takeConstraints(solver, [](const Constraint& each) { return each.as<constraint::Element>(); })) {
    std::get<constraint::Element>(c.is).isGiven = true;
    addConstraint(solver, std::move(c));
  }
  solve(solver);
}

// Returns an element's size as a size of the whole tensor: a length that the application split is restored; a length
// that each element computes becomes a ragged length.
Dim collectedSize(Solver& solver, Dim d, const Shape& before, ReasonId reason) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  auto v = dims.asVariable(d);
  if (v && solution.dimVars[v->index].lengthOf && solution.dimVars[v->index].element.index == reason.index)
    return dims.variable(*solution.dimVars[v->index].lengthOf);
  DimVar varies;
  bool any = false;
  for (DimVar part : dims.variables(d)) {
    const DimVarInfo& info = solution.dimVars[part.index];
    if (info.closed || (info.lengthOf && info.element.index == reason.index)) {
      varies = part;
      any = true;
    }
  }
  if (!any) return d;
  if (const DimVar* known = solver.collectedLengths.find({d.index, reason.index})) return dims.variable(*known);
  const DimVarInfo element = solution.dimVars[varies.index];
  const DimVar length = freshRigid(solver, "", DimKind::ragged, element.origin, element.maker);
  solver.collectedLengths.insert({d.index, reason.index}, length);
  solution.dimVars.edit(length.index).over = before;
  return dims.variable(length);
}

std::optional<Dim> findMisplacedLength(Solver& solver, TypeId type) {
  Solution& solution = solver.solution;
  solution.step();
  const TypeTerm& term = solution.head(type);
  if (term.kind == TypeKind::tuple)
    for (TypeId part : term.parts)
      if (auto found = findMisplacedLength(solver, part)) return found;
  if (term.kind != TypeKind::tensor) return std::nullopt;
  Shape shape = solution.resolve(term.shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].isVar || solution.kindOf(shape[i].dim) != DimKind::ragged) continue;
    auto v = solution.dims.asVariable(shape[i].dim);
    if (!v) return shape[i].dim;
    Shape over = solution.resolve(solution.dimVars[v->index].over);
    if (over.empty() && solution.dimVars[v->index].over.empty()) continue;  // not known yet
    bool fits = over.size() <= i &&
                std::equal(over.rbegin(), over.rend(), std::prev(shape.rend(), static_cast<std::ptrdiff_t>(i)),
                           [](const ShapePart& a, const ShapePart& b) {
                             return a.isVar == b.isVar && (a.isVar ? a.var == b.var : a.dim == b.dim);
                           });
    if (!fits) return shape[i].dim;
  }
  return std::nullopt;
}

void openRuntimeSizes(Solver& solver, TypeId result) {
  Solution& solution = solver.solution;
  const TypeTerm term = solution.types[solution.resolve(result)];
  if (term.kind == TypeKind::tuple)
    for (TypeId part : term.parts) openRuntimeSizes(solver, part);
  if (term.kind != TypeKind::tensor) return;
  OpenVariables variables;
  collectVariables(solver, term.shape, variables);
  for (DimVar v : variables.dims) solution.dimVars.edit(v.index).closed = false;
}

bool hasRuntimeRank(Solver& solver, TypeId type) {
  Solution& solution = solver.solution;
  const TypeTerm term = solution.types[solution.resolve(type)];
  return std::any_of(term.shape.begin(), term.shape.end(),
                     [&](const ShapePart& p) { return p.isVar && solution.shapeVars[p.var.index].runtime; });
}

void makeRuntimeSizes(Solver& solver, TypeId type, std::size_t from, OriginId origin, const std::string& maker) {
  OpenVariables variables;
  collectVariables(solver, type, variables);
  for (DimVar v : variables.dims) {
    if (v.index < from || solver.solution.dimVars[v.index].rigid) continue;
    DimVarInfo& info = solver.solution.dimVars.edit(v.index);
    info.kind = DimKind::runtime;
    info.rigid = true;
    info.maker = maker;
    info.origin = origin;
  }
}

std::optional<DimVar> findClosedSize(Solver& solver, TypeId type, bool withFunctions) {
  Solution& solution = solver.solution;
  if (solution.head(type).kind != TypeKind::tensor && !withFunctions) return std::nullopt;
  OpenVariables variables;
  collectVariables(solver, type, variables);
  for (DimVar v : variables.dims)
    if (solution.dimVars[v.index].closed) return v;
  return std::nullopt;
}

}  // namespace axle
