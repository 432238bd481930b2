// The constraint store: suspended constraints, what wakes them, and the expansion of shape functions once their
// arguments are known well enough.
#include <algorithm>

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

namespace {
constexpr std::size_t copiedConstraint = 8;  // as work, beside a part of a shape that is looked at

using Rule = Progress (*)(Solver&, Constraint&);
const Rule rules[] = {
    runShapeEqual,
    runDimEqual,
    runFact,
    runBroadcast,
    runBroadcastDim,
    runAxisSplit,
    runPermute,
    runReshape,
    runPad,
    runConvOut,
    runSizeOf,
    runRankOf,
    runWhen,
    runCollect,
    runRepeat,
    runReduce,
    runTile,
    runStretch,
    runSized,
    runSwap,
    runMove,
    runWidth,
    runOfSort,
    runElement,
    runConvTransposeOut,
    runEinsum,
};
}


void addConstraint(Solver& solver, Constraint constraint) {
  solver.slots.push_back({std::move(constraint), true, true});
  std::uint32_t index = static_cast<std::uint32_t>(solver.slots.size() - 1);
  solver.live.push_back(index);
  solver.queue.push_back(index);
}

void wake(Solver& solver, std::vector<std::uint32_t>& watchers) {
  for (std::uint32_t index : watchers)
    if (solver.slots[index].live && !solver.slots[index].queued) {
      solver.slots[index].queued = true;
      solver.queue.push_back(index);
    }
  watchers.clear();
}

void watch(Solver& solver, std::uint32_t slot) {
  OpenVariables variables;
  collectVariables(solver, solver.slots[slot].constraint, variables);
  auto note = [slot](std::vector<std::uint32_t>& watchers) {
    if (watchers.empty() || watchers.back() != slot) watchers.push_back(slot);
  };
  for (TypeVar v : variables.types) note(solver.typeWatch[v.index]);
  for (ElemVar v : variables.elems) note(solver.elemWatch[v.index]);
  for (ShapeVar v : variables.shapes) note(solver.shapeWatch[v.index]);
  for (DimVar v : variables.dims) note(solver.dimWatch[v.index]);
  for (StaticVar v : variables.statics) note(solver.staticWatch[v.index]);
}

void solve(Solver& solver) {
  while (!solver.queue.empty()) {
    std::uint32_t index = solver.queue.front();
    solver.queue.pop_front();
    solver.slots[index].queued = false;
    if (!solver.slots[index].live) continue;
    solver.solution.work(copiedConstraint);
    Constraint constraint = solver.slots[index].constraint;
    Progress progress = rules[static_cast<int>(constraint.kind)](solver, constraint);
    if (progress == Progress::waiting) {
      solver.slots[index].constraint = std::move(constraint);
      watch(solver, index);
    } else {
      solver.slots[index].live = false;
      solver.slots[index].constraint = {};
      bool isFact = constraint.kind == ConstraintKind::fact || constraint.kind == ConstraintKind::dimEqual;
      solver.settledByNormalForm += isFact;
    }
  }
}

std::vector<Constraint> pendingConstraints(Solver& solver) {
  std::vector<Constraint> out;
  solver.solution.work(copiedConstraint * solver.live.size());
  for (std::uint32_t index : solver.live)
    if (solver.slots[index].live) out.push_back(solver.slots[index].constraint);
  return out;
}

std::vector<const Constraint*> pendingConstraints(Solver& solver, ConstraintKind kind) {
  std::vector<const Constraint*> out;
  solver.solution.work(solver.live.size());
  for (std::uint32_t index : solver.live)
    if (solver.slots[index].live && solver.slots[index].constraint.kind == kind) out.push_back(&solver.slots[index].constraint);
  return out;
}

std::vector<Constraint> takeConstraints(Solver& solver, const std::function<bool(const Constraint&)>& choose) {
  std::vector<Constraint> out;
  std::vector<std::uint32_t> kept;
  solver.solution.work(solver.live.size());
  for (std::uint32_t index : std::vector<std::uint32_t>(solver.live)) {
    if (!solver.slots[index].live) continue;
    if (choose(solver.slots[index].constraint)) {
      solver.slots[index].live = false;
      out.push_back(std::move(solver.slots[index].constraint));
    } else {
      kept.push_back(index);
    }
  }
  solver.live = std::move(kept);
  return out;
}

std::optional<std::vector<Dim>> knownDims(Solver& solver, const Shape& shape) {
  std::vector<Dim> dims;
  for (const ShapePart& part : solver.solution.resolve(shape)) {
    if (part.isVar) return std::nullopt;
    dims.push_back(part.dim);
  }
  return dims;
}

// False where it has another rank. It may stay open, as that of `s @ t`: who asks waits until it is known.
bool fixRank(Solver& solver, const Shape& shape, std::size_t rank, ReasonId reason) {
  if (auto known = knownDims(solver, shape); known && known->size() == rank) return true;
  Shape dims;
  for (std::size_t i = 0; i < rank; ++i) dims.push_back(ShapePart::of(freshDimTerm(solver, "d" + std::to_string(i))));
  return tryShapeEqual(solver, shape, dims, reason) != Progress::failed;
}

Progress runShapeEqual(Solver& solver, Constraint& c) { return tryShapeEqual(solver, c.shapes[0], c.shapes[1], c.reason); }

// ---- broadcasting -----------------------------------------------------------------------------------------------

namespace {

// Where each of two sizes is 1 or the same other, so is theirs together.
std::optional<Dim> commonStretchTarget(Solver& solver, Dim a, Dim b) {
  Solution& solution = solver.solution;
  auto target = [&](Dim d) -> std::optional<Dim> {
    auto v = solution.dims.asVariable(d);
    if (!v || !solution.dimVars[v->index].stretchesTo) return std::nullopt;
    return solution.resolve(*solution.dimVars[v->index].stretchesTo);
  };
  auto x = target(a), y = target(b);
  return x && x == y ? x : std::nullopt;
}

// The size of a # b, or a variable for it while it is open which of the two it is.
Dim broadcastSize(Solver& solver, const ShapePart& x, const ShapePart& y, ReasonId reason) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  Dim one = dims.constant(1), a = solution.resolve(x.dim), b = solution.resolve(y.dim);
  if (a == b || b == one) return a;
  if (a == one) return b;
  auto constA = dims.asConstant(a), constB = dims.asConstant(b);
  if (constA && constB) {
    unifyDim(solver, x, y, reason);
    return a;
  }
  for (const auto& [small, large] : {std::pair(a, b), std::pair(b, a)})
    if (auto v = dims.asVariable(small); v && solution.dimVars[v->index].stretchesTo)
      if (Dim to = solution.resolve(*solution.dimVars[v->index].stretchesTo); to == large) return large;
  Dim result = constA ? a : constB ? b : freshDimTerm(solver, dims.name(dims.variables(a)[0]));
  if (auto to = commonStretchTarget(solver, a, b)) solution.dimVars[dims.asVariable(result)->index].stretchesTo = to;
  Constraint c;
  c.kind = ConstraintKind::broadcastDim;
  c.reason = reason;
  c.shapes = {{ShapePart::of(result)}, {x}, {y}};
  addConstraint(solver, std::move(c));
  return result;
}

}  // namespace

Progress runBroadcastDim(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  ShapePart result = c.shapes[0][0];
  ShapePart a = solution.resolve(c.shapes[1])[0], b = solution.resolve(c.shapes[2])[0];
  Dim one = dims.constant(1);
  auto constA = dims.asConstant(a.dim), constB = dims.asConstant(b.dim);
  auto settle = [&](const ShapePart& part) {
    return unifyDim(solver, result, part, c.reason) ? Progress::done : Progress::failed;
  };
  if (a.dim == b.dim || b.dim == one) return settle(a);
  if (a.dim == one) return settle(b);
  for (const auto& [small, large] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (auto v = dims.asVariable(small->dim); v && solution.dimVars[v->index].stretchesTo)
      if (solution.resolve(*solution.dimVars[v->index].stretchesTo) == large->dim) return settle(*large);
  if (constA && constB) {
    unifyDim(solver, c.shapes[1][0], c.shapes[2][0], c.reason);
    return Progress::failed;
  }
  return Progress::waiting;
}

void equateBroadcastSizes(Solver& solver, const std::function<bool(const Constraint&)>& choose) {
  Solution& solution = solver.solution;
  auto chosen = takeConstraints(solver, [&](const Constraint& c) { return c.kind == ConstraintKind::broadcastDim && choose(c); });
  for (Constraint& c : chosen) {
    Progress progress = runBroadcastDim(solver, c);
    if (progress == Progress::waiting &&
        commonStretchTarget(solver, solution.resolve(c.shapes[1][0].dim), solution.resolve(c.shapes[2][0].dim))) {
      addConstraint(solver, std::move(c));
      continue;
    }
    // `n : 1 or m` by another size: that one is m.
    for (auto [small, large] : {std::pair(1, 2), std::pair(2, 1)})
      if (auto v = solution.dims.asVariable(solution.resolve(c.shapes[small][0].dim));
          progress == Progress::waiting && v && solution.dimVars[v->index].stretchesTo) {
        unifyDim(solver, ShapePart::of(*solution.dimVars[v->index].stretchesTo), c.shapes[large][0], c.reason);
        progress = runBroadcastDim(solver, c);
      }
    if (progress == Progress::waiting && unifyDim(solver, c.shapes[1][0], c.shapes[2][0], c.reason))
      unifyDim(solver, c.shapes[0][0], c.shapes[1][0], c.reason);
    solve(solver);
  }
}

// Aligned at the trailing end; what the two shapes visibly share is shared, where one is visibly a suffix of the other
// the longer one results.
Progress runBroadcast(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  Shape a = solution.flatten(c.shapes[1]), b = solution.flatten(c.shapes[2]);
  Shape result = solution.flatten(c.shapes[0]);
  if (result.empty()) {
    bool both = unifyShape(solver, c.shapes[0], a, c.reason) && unifyShape(solver, c.shapes[0], b, c.reason);
    return both ? Progress::done : Progress::failed;
  }
  Shape suffix;
  auto settle = [&](Shape leading) {
    leading.insert(leading.end(), suffix.begin(), suffix.end());
    return unifyShape(solver, c.shapes[0], leading, c.reason) ? Progress::done : Progress::failed;
  };
  while (true) {
    if (a.empty()) return settle(b);
    if (b.empty()) return settle(a);
    ShapePart x = a.back(), y = b.back();
    if (x.isVar && y.isVar && x.var == y.var) {
      suffix.insert(suffix.begin(), x);
    } else if (!x.isVar && !y.isVar) {
      std::size_t before = solver.conflicts.size();
      Dim size = broadcastSize(solver, x, y, c.reason);
      if (solver.conflicts.size() > before) return Progress::failed;
      suffix.insert(suffix.begin(), size == solution.resolve(x.dim)   ? x
                                    : size == solution.resolve(y.dim) ? y
                                                                : ShapePart::of(size));
    } else {
      break;
    }
    a.pop_back();
    b.pop_back();
  }
  if (suffix.empty()) return Progress::waiting;
  ShapeVar rest = freshShape(solver, "s");
  Constraint remaining = c;
  remaining.shapes = {{ShapePart::of(rest)}, a, b};
  addConstraint(solver, std::move(remaining));
  return settle({ShapePart::of(rest)});
}

// ---- shape functions --------------------------------------------------------------------------------------------

Progress runAxisSplit(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  const StaticTerm axis = solution.types[solution.resolve(c.statics[0])];
  auto value = axis.kind == StaticKind::dim ? solution.dims.asConstant(solution.resolve(axis.dim)) : std::nullopt;
  if (axis.kind != StaticKind::dim && axis.kind != StaticKind::var) return failForm(solver, c, "a whole number");
  if (!value) return Progress::waiting;
  if (*value >= maxAxes || *value < -maxAxes) {
    failAttribute(solver, c.reason, "axis " + std::to_string(*value) + " is out of range");
    return Progress::failed;
  }
  const Shape& side = c.shapes[*value >= 0 ? 0 : 1];
  if (!fixRank(solver, side, static_cast<std::size_t>(*value >= 0 ? *value : -*value - 1), c.reason)) return Progress::failed;
  return knownDims(solver, side) ? Progress::done : Progress::waiting;
}

Progress runPermute(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  const StaticTerm perm = solution.types[solution.resolve(c.statics[0])];
  if (perm.kind == StaticKind::var) return Progress::waiting;
  std::vector<std::size_t> order;
  if (perm.kind != StaticKind::list && perm.kind != StaticKind::reversed) return failForm(solver, c, "a list of axes");
  if (perm.kind == StaticKind::reversed) {
    auto known = knownDims(solver, c.shapes[1]);
    if (!known) known = knownDims(solver, c.shapes[0]);
    if (!known) return Progress::waiting;
    for (std::size_t i = known->size(); i > 0; --i) order.push_back(i - 1);
  } else {
    std::vector<bool> seen(perm.items.size(), false);
    for (StaticId item : perm.items) {
      const StaticTerm& term = solution.types[solution.resolve(item)];
      auto value = term.kind == StaticKind::dim ? solution.dims.asConstant(term.dim) : std::nullopt;
      if (!value || *value < 0 || *value >= static_cast<std::int64_t>(seen.size()) ||
          seen[static_cast<std::size_t>(*value)]) {
        failAttribute(solver, c.reason, "`perm` must name each axis from 0 to " + std::to_string(seen.size() - 1) + " once");
        return Progress::failed;
      }
      seen[static_cast<std::size_t>(*value)] = true;
      order.push_back(static_cast<std::size_t>(*value));
    }
  }
  if (!fixRank(solver, c.shapes[1], order.size(), c.reason)) return Progress::failed;
  if (!knownDims(solver, c.shapes[1])) return Progress::waiting;
  Shape from = solution.resolve(c.shapes[1]), to;
  for (std::size_t axis : order) to.push_back(from[axis]);
  return unifyShape(solver, c.shapes[0], to, c.reason) ? Progress::done : Progress::failed;
}

Progress runReshape(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const StaticTerm to = solution.types[solution.resolve(c.statics[0])];
  if (to.kind == StaticKind::var) return Progress::waiting;
  if (to.kind != StaticKind::list) return failForm(solver, c, "a list of sizes");
  Shape target;
  if (c.dims.empty()) {  // the first time: the result's rank and sizes are known before the input is
    c.dims.push_back(dims.constant(0));
    for (StaticId item : to.items) {
      const StaticTerm term = solution.types[solution.resolve(item)];
      if (term.kind != StaticKind::dim && term.kind != StaticKind::hole) return failForm(solver, c, "a list of sizes");
      target.push_back(ShapePart::of(term.kind == StaticKind::hole ? freshDimTerm(solver, "d") : term.dim));
    }
    if (!unifyShape(solver, c.shapes[0], target, c.reason)) return Progress::failed;
    c.shapes[0] = target;
  }
  auto from = knownDims(solver, c.shapes[1]);
  if (!from) return Progress::waiting;
  Dim total = dims.constant(1), product = total;
  for (Dim d : *from) total = dims.mul(total, d);
  auto sameTotal = [&](Dim given, Dim wanted) {
    Constraint fact;
    fact.kind = ConstraintKind::fact;
    fact.reason = c.reason;
    fact.isReshape = true;
    fact.dims = {given, wanted};
    fact.shapes = {solution.flatten(c.shapes[1])};
    fact.statics = {c.statics[0]};
    addConstraint(solver, std::move(fact));
  };
  std::optional<Dim> hole;
  for (std::size_t i = 0; i < to.items.size(); ++i) {
    if (solution.types[solution.resolve(to.items[i])].kind == StaticKind::hole)
      hole = c.shapes[0][i].dim;
    else
      product = dims.mul(product, solution.resolve(c.shapes[0][i].dim));
  }
  if (hole) {
    Dim quotient = dims.div(total, product);
    addFact(solver, product, FactRelation::ge, dims.constant(1), c.reason);
    // A product of 0 is what the fact above refutes; a total that overflows is told here.
    if (dims.isUndefined(quotient) && !dims.isUndefined(total)) return Progress::done;
    if (!unifyDim(solver, ShapePart::of(*hole), ShapePart::of(quotient), c.reason)) return Progress::failed;
    sameTotal(total, dims.mul(product, quotient));
  } else {
    sameTotal(total, product);
  }
  return Progress::done;
}

// What a static parameter of a user's function brings is of any form: it is looked at here, where it is used.
std::optional<std::vector<Dim>> staticDims(Solver& solver, StaticId list, std::size_t count) {
  Solution& solution = solver.solution;
  const StaticTerm term = solution.types[solution.resolve(list)];
  if (term.kind != StaticKind::list || term.items.size() != count) return std::nullopt;
  std::vector<Dim> out;
  for (StaticId item : term.items) {
    const StaticTerm& value = solution.types[solution.resolve(item)];
    if (value.kind != StaticKind::dim) return std::nullopt;
    out.push_back(value.dim);
  }
  return out;
}

Progress failForm(Solver& solver, const Constraint& c, const char* wanted) {
  failAttribute(solver, c.reason, std::string("a static argument must be ") + wanted);
  return Progress::failed;
}

Progress runSizeOf(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  auto dims = knownDims(solver, c.shapes[0]);
  if (!dims) return Progress::waiting;
  Dim total = solution.dims.constant(1);
  for (Dim d : *dims) total = solution.dims.mul(total, d);
  return unifyDim(solver, ShapePart::of(c.dims[0]), ShapePart::of(total), c.reason) ? Progress::done : Progress::failed;
}

Progress runRankOf(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  auto dims = knownDims(solver, c.shapes[0]);
  if (!dims)
    if (auto rank = solution.dims.asConstant(solution.resolve(c.dims[0])); rank && *rank <= maxAxes) {
      if (*rank >= 0 && !fixRank(solver, c.shapes[0], static_cast<std::size_t>(*rank), c.reason)) return Progress::failed;
      dims = knownDims(solver, c.shapes[0]);
    }
  if (!dims) return Progress::waiting;
  Dim rank = solution.dims.constant(static_cast<std::int64_t>(dims->size()));
  return unifyDim(solver, ShapePart::of(c.dims[0]), ShapePart::of(rank), c.reason) ? Progress::done : Progress::failed;
}

Progress runWhen(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  const StaticTerm condition = solution.types[solution.resolve(c.statics[0])];
  if (condition.kind == StaticKind::var) return Progress::waiting;
  if (condition.kind != StaticKind::boolean) return failForm(solver, c, "`true` or `false`");
  return unifyShape(solver, c.shapes[0], condition.boolean ? c.shapes[1] : Shape{}, c.reason) ? Progress::done
                                                                                      : Progress::failed;
}

Progress runCollect(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  TypeTerm element = solution.types[solution.resolve(c.types[1])];
  if (element.kind == TypeKind::var) return Progress::waiting;
  if (element.kind == TypeKind::error) return Progress::done;
  if (element.kind == TypeKind::function) {
    Conflict conflict;
    conflict.kind = ConflictKind::type;
    conflict.reason = c.reason;
    conflict.left = "a tensor";
    conflict.right = "a function";
    conflict.origins = {element.origin};
    fail(solver, std::move(conflict));
    return Progress::failed;
  }
  TypeTerm stacked = element;
  stacked.origin = {};
  if (element.kind == TypeKind::tensor) {
    stacked.shape = solution.resolve(element.shape);
    Shape before{ShapePart::of(c.dims[0])};
    for (ShapePart& part : stacked.shape) {
      if (!part.isVar) part.dim = collectedSize(solver, part.dim, before, c.reason);
      before.push_back(part);
    }
    stacked.shape.insert(stacked.shape.begin(), ShapePart::of(c.dims[0]));
  } else {
    for (TypeId& part : stacked.parts) {
      Constraint inner = c;
      inner.types = {freshType(solver), part};
      part = inner.types[0];
      addConstraint(solver, std::move(inner));
    }
  }
  return unify(solver, c.types[0], solution.types.add(std::move(stacked)), c.reason) ? Progress::done : Progress::failed;
}

Progress runRepeat(Solver& solver, Constraint& c) {
  Solution& solution = solver.solution;
  DimStore& dims = solution.dims;
  const StaticTerm count = solution.types[solution.resolve(c.statics[0])];
  auto value = count.kind == StaticKind::dim ? dims.asConstant(solution.resolve(count.dim)) : std::nullopt;
  if (count.kind != StaticKind::dim && count.kind != StaticKind::var) return failForm(solver, c, "a whole number");
  if (!value) {
    // What takes the parts tells their number; a tuple of one part is that part.
    const TypeTerm result = solution.types[solution.resolve(c.types[0])];
    if (result.kind == TypeKind::var) return Progress::waiting;
    value = result.kind == TypeKind::tuple ? static_cast<std::int64_t>(result.parts.size()) : 1;
    StaticTerm told;
    told.kind = StaticKind::dim;
    told.dim = dims.constant(*value);
    if (!unifyStatic(solver, c.statics[0], solution.types.add(std::move(told)), c.reason)) return Progress::failed;
  }
  constexpr std::int64_t most = 4096;
  if (*value < 1 || *value > most) {
    failAttribute(solver, c.reason, std::to_string(*value) + " parts: 1 to 4096 are possible");
    return Progress::failed;
  }
  TypeTerm tuple;
  tuple.kind = TypeKind::tuple;
  tuple.origin.index = solution.types[solution.resolve(c.types[1])].origin.index;
  tuple.parts.assign(static_cast<std::size_t>(*value), c.types[1]);
  TypeId type = *value == 1 ? c.types[1] : solution.types.add(std::move(tuple));
  return unify(solver, c.types[0], type, c.reason) ? Progress::done : Progress::failed;
}

}  // namespace axle
