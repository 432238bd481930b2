// The constraint store: suspended constraints, what wakes them, and the expansion of shape functions once their
// arguments are known well enough.
#include <algorithm>

#include "typecheck/solver/solver.h"

namespace axle {

namespace {
constexpr std::size_t copiedConstraint = 8;  // as work, beside a part of a shape that is looked at
}

const Solver::Rule Solver::rules[] = {
    &Solver::runShapeEqual,
    &Solver::runDimEqual,
    &Solver::runFact,
    &Solver::runBroadcast,
    &Solver::runBroadcastDim,
    &Solver::runAxisSplit,
    &Solver::runPermute,
    &Solver::runReshape,
    &Solver::runPad,
    &Solver::runConvOut,
    &Solver::runSizeOf,
    &Solver::runRankOf,
    &Solver::runWhen,
    &Solver::runCollect,
    &Solver::runRepeat,
    &Solver::runReduce,
    &Solver::runTile,
    &Solver::runStretch,
    &Solver::runSized,
    &Solver::runSwap,
    &Solver::runMove,
    &Solver::runWidth,
    &Solver::runOfSort,
    &Solver::runElement,
    &Solver::runConvTransposeOut,
    &Solver::runEinsum,
};

void Solver::add(Constraint constraint) {
  slots_.push_back({std::move(constraint), true, true});
  std::uint32_t index = static_cast<std::uint32_t>(slots_.size() - 1);
  live_.push_back(index);
  queue_.push_back(index);
}

void Solver::wake(std::vector<std::uint32_t>& watchers) {
  for (std::uint32_t index : watchers)
    if (slots_[index].live && !slots_[index].queued) {
      slots_[index].queued = true;
      queue_.push_back(index);
    }
  watchers.clear();
}

void Solver::watch(std::uint32_t slot) {
  Variables variables;
  collect(slots_[slot].constraint, variables);
  auto note = [slot](std::vector<std::uint32_t>& watchers) {
    if (watchers.empty() || watchers.back() != slot) watchers.push_back(slot);
  };
  for (TypeVar v : variables.types) note(typeWatch_[v.index]);
  for (ElemVar v : variables.elems) note(elemWatch_[v.index]);
  for (ShapeVar v : variables.shapes) note(shapeWatch_[v.index]);
  for (DimVar v : variables.dims) note(dimWatch_[v.index]);
  for (StaticVar v : variables.statics) note(staticWatch_[v.index]);
}

void Solver::solve() {
  while (!queue_.empty()) {
    std::uint32_t index = queue_.front();
    queue_.pop_front();
    slots_[index].queued = false;
    if (!slots_[index].live) continue;
    s_.work(copiedConstraint);
    Constraint constraint = slots_[index].constraint;
    // Apart: GCC's bounds check misreads the index inside of the call.
    Rule rule = rules[static_cast<int>(constraint.kind)];
    Progress progress = (this->*rule)(constraint);
    if (progress == Progress::waiting) {
      slots_[index].constraint = std::move(constraint);
      watch(index);
    } else {
      slots_[index].live = false;
      slots_[index].constraint = {};
      bool isFact = constraint.kind == ConstraintKind::fact || constraint.kind == ConstraintKind::dimEqual;
      settledByNormalForm_ += isFact;
    }
  }
}

std::vector<Constraint> Solver::pending() const {
  std::vector<Constraint> out;
  s_.work(copiedConstraint * live_.size());
  for (std::uint32_t index : live_)
    if (slots_[index].live) out.push_back(slots_[index].constraint);
  return out;
}

std::vector<const Constraint*> Solver::pending(ConstraintKind kind) const {
  std::vector<const Constraint*> out;
  s_.work(live_.size());
  for (std::uint32_t index : live_)
    if (slots_[index].live && slots_[index].constraint.kind == kind) out.push_back(&slots_[index].constraint);
  return out;
}

std::vector<Constraint> Solver::take(const std::function<bool(const Constraint&)>& choose) {
  std::vector<Constraint> out;
  std::vector<std::uint32_t> kept;
  s_.work(live_.size());
  for (std::uint32_t index : std::vector<std::uint32_t>(live_)) {
    if (!slots_[index].live) continue;
    if (choose(slots_[index].constraint)) {
      slots_[index].live = false;
      out.push_back(std::move(slots_[index].constraint));
    } else {
      kept.push_back(index);
    }
  }
  live_ = std::move(kept);
  return out;
}

void Solver::collect(const Constraint& c, Variables& into) {
  for (const Shape& shape : c.shapes) collect(shape, into);
  for (Dim dim : c.dims) collect(dim, into);
  for (TypeId type : c.types) collect(type, into);
  for (StaticId value : c.statics) collect(value, into);
}

std::optional<std::vector<Dim>> Solver::knownDims(const Shape& shape) {
  std::vector<Dim> dims;
  for (const ShapePart& part : s_.resolve(shape)) {
    if (part.isVar) return std::nullopt;
    dims.push_back(part.dim);
  }
  return dims;
}

// False where it has another rank. It may stay open, as that of `s @ t`: who asks waits until it is known.
bool Solver::fixRank(const Shape& shape, std::size_t rank, ReasonId reason) {
  if (auto known = knownDims(shape); known && known->size() == rank) return true;
  Shape dims;
  for (std::size_t i = 0; i < rank; ++i) dims.push_back(ShapePart::of(freshDimTerm("d" + std::to_string(i))));
  return tryShapeEqual(shape, dims, reason) != Progress::failed;
}

Solver::Progress Solver::runShapeEqual(Constraint& c) { return tryShapeEqual(c.shapes[0], c.shapes[1], c.reason); }

// ---- broadcasting -----------------------------------------------------------------------------------------------

// The size of a # b, or a variable for it while it is open which of the two it is.
Dim Solver::stretch(const ShapePart& x, const ShapePart& y, ReasonId reason) {
  Dim one = s_.dims.constant(1), a = s_.resolve(x.dim), b = s_.resolve(y.dim);
  if (a == b || b == one) return a;
  if (a == one) return b;
  auto constA = s_.dims.asConstant(a), constB = s_.dims.asConstant(b);
  if (constA && constB) {
    unifyDim(x, y, reason);
    return a;
  }
  for (const auto& [small, large] : {std::pair(a, b), std::pair(b, a)})
    if (auto v = s_.dims.asVariable(small); v && s_.dimVars[v->index].stretchesTo)
      if (Dim to = s_.resolve(*s_.dimVars[v->index].stretchesTo); to == large) return large;
  Dim result = constA ? a : constB ? b : freshDimTerm(s_.dims.name(s_.dims.variables(a)[0]));
  if (auto to = bothStretchTo(a, b)) s_.dimVars[s_.dims.asVariable(result)->index].stretchesTo = to;
  Constraint c;
  c.kind = ConstraintKind::broadcastDim;
  c.reason = reason;
  c.shapes = {{ShapePart::of(result)}, {x}, {y}};
  add(std::move(c));
  return result;
}

// Where each of two sizes is 1 or the same other, so is theirs together.
std::optional<Dim> Solver::bothStretchTo(Dim a, Dim b) {
  auto target = [&](Dim d) -> std::optional<Dim> {
    auto v = s_.dims.asVariable(d);
    if (!v || !s_.dimVars[v->index].stretchesTo) return std::nullopt;
    return s_.resolve(*s_.dimVars[v->index].stretchesTo);
  };
  auto x = target(a), y = target(b);
  return x && x == y ? x : std::nullopt;
}

Solver::Progress Solver::runBroadcastDim(Constraint& c) {
  ShapePart result = c.shapes[0][0];
  ShapePart a = s_.resolve(c.shapes[1])[0], b = s_.resolve(c.shapes[2])[0];
  Dim one = s_.dims.constant(1);
  auto constA = s_.dims.asConstant(a.dim), constB = s_.dims.asConstant(b.dim);
  auto settle = [&](const ShapePart& part) {
    return unifyDim(result, part, c.reason) ? Progress::done : Progress::failed;
  };
  if (a.dim == b.dim || b.dim == one) return settle(a);
  if (a.dim == one) return settle(b);
  for (const auto& [small, large] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (auto v = s_.dims.asVariable(small->dim); v && s_.dimVars[v->index].stretchesTo)
      if (s_.resolve(*s_.dimVars[v->index].stretchesTo) == large->dim) return settle(*large);
  if (constA && constB) {
    unifyDim(c.shapes[1][0], c.shapes[2][0], c.reason);
    return Progress::failed;
  }
  return Progress::waiting;
}

void Solver::equateBroadcasts(const std::function<bool(const Constraint&)>& choose) {
  auto chosen = take([&](const Constraint& c) { return c.kind == ConstraintKind::broadcastDim && choose(c); });
  for (Constraint& c : chosen) {
    Progress progress = runBroadcastDim(c);
    if (progress == Progress::waiting &&
        bothStretchTo(s_.resolve(c.shapes[1][0].dim), s_.resolve(c.shapes[2][0].dim))) {
      add(std::move(c));
      continue;
    }
    // `n : 1 or m` by another size: that one is m.
    for (auto [small, large] : {std::pair(1, 2), std::pair(2, 1)})
      if (auto v = s_.dims.asVariable(s_.resolve(c.shapes[small][0].dim));
          progress == Progress::waiting && v && s_.dimVars[v->index].stretchesTo) {
        unifyDim(ShapePart::of(*s_.dimVars[v->index].stretchesTo), c.shapes[large][0], c.reason);
        progress = runBroadcastDim(c);
      }
    if (progress == Progress::waiting && unifyDim(c.shapes[1][0], c.shapes[2][0], c.reason))
      unifyDim(c.shapes[0][0], c.shapes[1][0], c.reason);
    solve();
  }
}

// Aligned at the trailing end; what the two shapes visibly share is shared, where one is visibly a suffix of the other
// the longer one results.
Solver::Progress Solver::runBroadcast(Constraint& c) {
  Shape a = s_.flatten(c.shapes[1]), b = s_.flatten(c.shapes[2]);
  Shape result = s_.flatten(c.shapes[0]);
  if (result.empty()) {
    bool both = unifyShape(c.shapes[0], a, c.reason) && unifyShape(c.shapes[0], b, c.reason);
    return both ? Progress::done : Progress::failed;
  }
  Shape suffix;
  auto settle = [&](Shape leading) {
    leading.insert(leading.end(), suffix.begin(), suffix.end());
    return unifyShape(c.shapes[0], leading, c.reason) ? Progress::done : Progress::failed;
  };
  while (true) {
    if (a.empty()) return settle(b);
    if (b.empty()) return settle(a);
    ShapePart x = a.back(), y = b.back();
    if (x.isVar && y.isVar && x.var == y.var) {
      suffix.insert(suffix.begin(), x);
    } else if (!x.isVar && !y.isVar) {
      std::size_t before = conflicts.size();
      Dim size = stretch(x, y, c.reason);
      if (conflicts.size() > before) return Progress::failed;
      suffix.insert(suffix.begin(), size == s_.resolve(x.dim)   ? x
                                    : size == s_.resolve(y.dim) ? y
                                                                : ShapePart::of(size));
    } else {
      break;
    }
    a.pop_back();
    b.pop_back();
  }
  if (suffix.empty()) return Progress::waiting;
  ShapeVar rest = freshShape("s");
  Constraint remaining = c;
  remaining.shapes = {{ShapePart::of(rest)}, a, b};
  add(std::move(remaining));
  return settle({ShapePart::of(rest)});
}

void Solver::failAttribute(ReasonId reason, std::string text) {
  Conflict conflict;
  conflict.kind = ConflictKind::attribute;
  conflict.reason = reason;
  conflict.text = std::move(text);
  fail(std::move(conflict));
}

// ---- shape functions --------------------------------------------------------------------------------------------

Solver::Progress Solver::runAxisSplit(Constraint& c) {
  const StaticTerm axis = s_.types[s_.resolve(c.statics[0])];
  auto value = axis.kind == StaticKind::dim ? s_.dims.asConstant(s_.resolve(axis.dim)) : std::nullopt;
  if (axis.kind != StaticKind::dim && axis.kind != StaticKind::var) return wrongForm(c, "a whole number");
  if (!value) return Progress::waiting;
  if (*value >= maxAxes || *value < -maxAxes) {
    failAttribute(c.reason, "axis " + std::to_string(*value) + " is out of range");
    return Progress::failed;
  }
  const Shape& side = c.shapes[*value >= 0 ? 0 : 1];
  if (!fixRank(side, static_cast<std::size_t>(*value >= 0 ? *value : -*value - 1), c.reason)) return Progress::failed;
  return knownDims(side) ? Progress::done : Progress::waiting;
}

Solver::Progress Solver::runPermute(Constraint& c) {
  const StaticTerm perm = s_.types[s_.resolve(c.statics[0])];
  if (perm.kind == StaticKind::var) return Progress::waiting;
  std::vector<std::size_t> order;
  if (perm.kind != StaticKind::list && perm.kind != StaticKind::reversed) return wrongForm(c, "a list of axes");
  if (perm.kind == StaticKind::reversed) {
    auto known = knownDims(c.shapes[1]);
    if (!known) known = knownDims(c.shapes[0]);
    if (!known) return Progress::waiting;
    for (std::size_t i = known->size(); i > 0; --i) order.push_back(i - 1);
  } else {
    std::vector<bool> seen(perm.items.size(), false);
    for (StaticId item : perm.items) {
      const StaticTerm& term = s_.types[s_.resolve(item)];
      auto value = term.kind == StaticKind::dim ? s_.dims.asConstant(term.dim) : std::nullopt;
      if (!value || *value < 0 || *value >= static_cast<std::int64_t>(seen.size()) ||
          seen[static_cast<std::size_t>(*value)]) {
        failAttribute(c.reason, "`perm` must name each axis from 0 to " + std::to_string(seen.size() - 1) + " once");
        return Progress::failed;
      }
      seen[static_cast<std::size_t>(*value)] = true;
      order.push_back(static_cast<std::size_t>(*value));
    }
  }
  if (!fixRank(c.shapes[1], order.size(), c.reason)) return Progress::failed;
  if (!knownDims(c.shapes[1])) return Progress::waiting;
  Shape from = s_.resolve(c.shapes[1]), to;
  for (std::size_t axis : order) to.push_back(from[axis]);
  return unifyShape(c.shapes[0], to, c.reason) ? Progress::done : Progress::failed;
}

Solver::Progress Solver::runReshape(Constraint& c) {
  const StaticTerm to = s_.types[s_.resolve(c.statics[0])];
  if (to.kind == StaticKind::var) return Progress::waiting;
  if (to.kind != StaticKind::list) return wrongForm(c, "a list of sizes");
  Shape target;
  if (c.dims.empty()) {  // the first time: the result's rank and sizes are known before the input is
    c.dims.push_back(s_.dims.constant(0));
    for (StaticId item : to.items) {
      const StaticTerm term = s_.types[s_.resolve(item)];
      if (term.kind != StaticKind::dim && term.kind != StaticKind::hole) return wrongForm(c, "a list of sizes");
      target.push_back(ShapePart::of(term.kind == StaticKind::hole ? freshDimTerm("d") : term.dim));
    }
    if (!unifyShape(c.shapes[0], target, c.reason)) return Progress::failed;
    c.shapes[0] = target;
  }
  auto from = knownDims(c.shapes[1]);
  if (!from) return Progress::waiting;
  Dim total = s_.dims.constant(1), product = total;
  for (Dim d : *from) total = s_.dims.mul(total, d);
  auto sameTotal = [&](Dim given, Dim wanted) {
    Constraint fact;
    fact.kind = ConstraintKind::fact;
    fact.reason = c.reason;
    fact.isReshape = true;
    fact.dims = {given, wanted};
    fact.shapes = {s_.flatten(c.shapes[1])};
    fact.statics = {c.statics[0]};
    add(std::move(fact));
  };
  std::optional<Dim> hole;
  for (std::size_t i = 0; i < to.items.size(); ++i) {
    if (s_.types[s_.resolve(to.items[i])].kind == StaticKind::hole)
      hole = c.shapes[0][i].dim;
    else
      product = s_.dims.mul(product, s_.resolve(c.shapes[0][i].dim));
  }
  if (hole) {
    Dim quotient = s_.dims.div(total, product);
    addFact(product, FactRelation::ge, s_.dims.constant(1), c.reason);
    // A product of 0 is what the fact above refutes; a total that overflows is told here.
    if (s_.dims.isUndefined(quotient) && !s_.dims.isUndefined(total)) return Progress::done;
    if (!unifyDim(ShapePart::of(*hole), ShapePart::of(quotient), c.reason)) return Progress::failed;
    sameTotal(total, s_.dims.mul(product, quotient));
  } else {
    sameTotal(total, product);
  }
  return Progress::done;
}

// What a static parameter of a user's function brings is of any form: it is looked at here, where it is used.
std::optional<std::vector<Dim>> Solver::dimsOf(StaticId list, std::size_t count) {
  const StaticTerm term = s_.types[s_.resolve(list)];
  if (term.kind != StaticKind::list || term.items.size() != count) return std::nullopt;
  std::vector<Dim> out;
  for (StaticId item : term.items) {
    const StaticTerm& value = s_.types[s_.resolve(item)];
    if (value.kind != StaticKind::dim) return std::nullopt;
    out.push_back(value.dim);
  }
  return out;
}

Solver::Progress Solver::wrongForm(const Constraint& c, const char* wanted) {
  failAttribute(c.reason, std::string("a static argument must be ") + wanted);
  return Progress::failed;
}

Solver::Progress Solver::runSizeOf(Constraint& c) {
  auto dims = knownDims(c.shapes[0]);
  if (!dims) return Progress::waiting;
  Dim total = s_.dims.constant(1);
  for (Dim d : *dims) total = s_.dims.mul(total, d);
  return unifyDim(ShapePart::of(c.dims[0]), ShapePart::of(total), c.reason) ? Progress::done : Progress::failed;
}

Solver::Progress Solver::runRankOf(Constraint& c) {
  auto dims = knownDims(c.shapes[0]);
  if (!dims)
    if (auto rank = s_.dims.asConstant(s_.resolve(c.dims[0])); rank && *rank <= maxAxes) {
      if (*rank >= 0 && !fixRank(c.shapes[0], static_cast<std::size_t>(*rank), c.reason)) return Progress::failed;
      dims = knownDims(c.shapes[0]);
    }
  if (!dims) return Progress::waiting;
  Dim rank = s_.dims.constant(static_cast<std::int64_t>(dims->size()));
  return unifyDim(ShapePart::of(c.dims[0]), ShapePart::of(rank), c.reason) ? Progress::done : Progress::failed;
}

Solver::Progress Solver::runWhen(Constraint& c) {
  const StaticTerm condition = s_.types[s_.resolve(c.statics[0])];
  if (condition.kind == StaticKind::var) return Progress::waiting;
  if (condition.kind != StaticKind::boolean) return wrongForm(c, "`true` or `false`");
  return unifyShape(c.shapes[0], condition.boolean ? c.shapes[1] : Shape{}, c.reason) ? Progress::done
                                                                                      : Progress::failed;
}

Solver::Progress Solver::runCollect(Constraint& c) {
  TypeTerm element = s_.types[s_.resolve(c.types[1])];
  if (element.kind == TypeKind::var) return Progress::waiting;
  if (element.kind == TypeKind::error) return Progress::done;
  if (element.kind == TypeKind::function) {
    Conflict conflict;
    conflict.kind = ConflictKind::type;
    conflict.reason = c.reason;
    conflict.left = "a tensor";
    conflict.right = "a function";
    conflict.origins = {element.origin};
    fail(std::move(conflict));
    return Progress::failed;
  }
  TypeTerm stacked = element;
  stacked.origin = {};
  if (element.kind == TypeKind::tensor) {
    stacked.shape = s_.resolve(element.shape);
    Shape before{ShapePart::of(c.dims[0])};
    for (ShapePart& part : stacked.shape) {
      if (!part.isVar) part.dim = collected(part.dim, before, c.reason);
      before.push_back(part);
    }
    stacked.shape.insert(stacked.shape.begin(), ShapePart::of(c.dims[0]));
  } else {
    for (TypeId& part : stacked.parts) {
      Constraint inner = c;
      inner.types = {freshType(), part};
      part = inner.types[0];
      add(std::move(inner));
    }
  }
  return unify(c.types[0], s_.types.add(std::move(stacked)), c.reason) ? Progress::done : Progress::failed;
}

Solver::Progress Solver::runRepeat(Constraint& c) {
  const StaticTerm count = s_.types[s_.resolve(c.statics[0])];
  auto value = count.kind == StaticKind::dim ? s_.dims.asConstant(s_.resolve(count.dim)) : std::nullopt;
  if (count.kind != StaticKind::dim && count.kind != StaticKind::var) return wrongForm(c, "a whole number");
  if (!value) {
    // What takes the parts tells their number; a tuple of one part is that part.
    const TypeTerm result = s_.types[s_.resolve(c.types[0])];
    if (result.kind == TypeKind::var) return Progress::waiting;
    value = result.kind == TypeKind::tuple ? static_cast<std::int64_t>(result.parts.size()) : 1;
    StaticTerm told;
    told.kind = StaticKind::dim;
    told.dim = s_.dims.constant(*value);
    if (!unifyStatic(c.statics[0], s_.types.add(std::move(told)), c.reason)) return Progress::failed;
  }
  constexpr std::int64_t most = 4096;
  if (*value < 1 || *value > most) {
    failAttribute(c.reason, std::to_string(*value) + " parts: 1 to 4096 are possible");
    return Progress::failed;
  }
  TypeTerm tuple;
  tuple.kind = TypeKind::tuple;
  tuple.origin.index = s_.types[s_.resolve(c.types[1])].origin.index;
  tuple.parts.assign(static_cast<std::size_t>(*value), c.types[1]);
  TypeId type = *value == 1 ? c.types[1] : s_.types.add(std::move(tuple));
  return unify(c.types[0], type, c.reason) ? Progress::done : Progress::failed;
}

}  // namespace axle
