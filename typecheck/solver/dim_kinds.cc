// Dimensions that are not plain sizes: run-time sizes, which no caller can know; ragged lengths, which are functions;
// streamed dimensions, which nothing may need whole (LANGUAGE.md, sections 3 and 6).
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "typecheck/solver/solver.h"

namespace axle {

DimVar Solver::freshRigid(std::string name, DimKind kind, OriginId origin, std::string maker) {
  DimVar v = freshDim(std::move(name));
  DimVarInfo& info = s_.dimVars[v.index];
  info.kind = kind;
  info.rigid = true;
  info.origin = origin;
  info.maker = std::move(maker);
  return v;
}

Solver::Progress Solver::failSizes(ConflictKind kind, const ShapePart& a, const ShapePart& b, ReasonId reason) {
  Conflict c;
  c.kind = kind;
  c.reason = reason;
  c.left = show(a.dim);
  c.right = show(b.dim);
  c.origins = originsOf(a);
  c.leftOrigins = c.origins.size();
  for (OriginId o : originsOf(b))
    if (std::find(c.origins.begin(), c.origins.end(), o) == c.origins.end()) c.origins.push_back(o);
  for (Dim side : {a.dim, b.dim}) {
    if (auto v = s_.dims.asVariable(side); v && c.sizeName.empty() && s_.dimVars[v->index].binding)
      c.sizeName = s_.dims.name(*v);
    for (DimVar v : s_.dims.variables(s_.resolve(side)))
      if (c.text.empty()) c.text = s_.dimVars[v.index].maker;
  }
  if (reason.index && why_[reason].kind == ReasonKind::call)
    for (auto [side, other] : {std::pair(a.dim, b.dim), std::pair(b.dim, a.dim)})
      if (std::string how = computed(side, other); !how.empty()) c.notes.push_back(std::move(how));
  fail(std::move(c));
  return Progress::failed;
}

// How a size was computed that differs from `other`, and what that says of the sizes that it takes away.
std::string Solver::computed(Dim size, Dim other) {
  DimStore& dims = s_.dims;
  auto value = dims.asConstant(s_.resolve(size)), wanted = dims.asConstant(s_.resolve(other));
  if (!value || !wanted || dims.asConstant(size) || dims.asVariable(size)) return {};
  std::string where, sum;
  for (DimVar v : dims.variables(size))
    where += fmt::format("{}{} = {}", where.empty() ? "" : ", ", dims.name(v), show(dims.variable(v)));
  std::int64_t positive = 0, negative = 0;
  const auto span = dims.terms(size);
  for (const Term& term : std::vector<Term>(span.begin(), span.end())) {
    Dim amount = s_.resolve(dims.fromTerms({Term{std::abs(term.coefficient), term.factors}}));
    auto number = dims.asConstant(amount);
    if (!number) return {};
    (term.coefficient < 0 ? negative : positive) += *number;
    if (term.coefficient < 0) sum += show(amount) + " + ";
  }
  std::string how = fmt::format("{} is `{}` for {}", *value, dims.print(size), where);
  return sum.empty() ? how : fmt::format("{}: {}{} is {}, not {}", how, sum, *wanted, negative + *wanted, positive);
}

// Whether an equation may make `v` stand for `to`: lengths for lengths, streams for what streams or can.
bool Solver::mayBind(DimVar v, Dim to) {
  const DimVarInfo& info = s_.dimVars[v.index];
  if (info.rigid) return false;
  if (info.kind == DimKind::ragged) return s_.kindOf(to) == DimKind::ragged;
  if (info.kind != DimKind::streamed) return true;
  if (streams(to)) return true;
  auto variables = s_.dims.variables(to);
  return std::any_of(variables.begin(), variables.end(), [&](DimVar other) {
    const DimVarInfo& o = s_.dimVars[other.index];
    return o.kind == DimKind::plain && !o.rigid;
  });
}

std::optional<Solver::Progress> Solver::tryKinds(const ShapePart& a, const ShapePart& b, ReasonId reason) {
  Dim left = s_.resolve(a.dim), right = s_.resolve(b.dim);
  bool known = reason.index && why_[reason].kind == ReasonKind::match;  // checked when the run comes there
  bool anyRuntime = false, anyRagged = false, anyFree = false, anyStream = false;
  for (Dim side : {left, right}) {
    if (s_.dims.isUndefined(side)) return std::nullopt;
    for (DimVar v : s_.dims.variables(side)) {
      const DimVarInfo& info = s_.dimVars[v.index];
      if (info.closed) return failSizes(ConflictKind::escape, a, b, reason);
      anyRuntime |= info.kind == DimKind::runtime && info.rigid;
      anyRagged |= info.kind == DimKind::ragged;
      anyStream |= info.kind == DimKind::streamed;
      anyFree |= !info.rigid && info.kind != DimKind::streamed;
    }
  }
  if (left == right) return Progress::done;
  if (anyRagged) {
    auto x = s_.dims.asVariable(left), y = s_.dims.asVariable(right);
    if (!x || !y) return failSizes(ConflictKind::ragged, a, b, reason);
    const DimVarInfo &p = s_.dimVars[x->index], &q = s_.dimVars[y->index];
    bool lengths = p.kind == q.kind && !(p.rigid && q.rigid);
    bool learnt =
        (p.kind != DimKind::ragged && !p.rigid && !p.regular) || (q.kind != DimKind::ragged && !q.rigid && !q.regular);
    if (!lengths && !learnt) return failSizes(ConflictKind::ragged, a, b, reason);
    return std::nullopt;
  }
  if (anyRuntime && !anyFree) {
    if (!known) return failSizes(ConflictKind::escape, a, b, reason);
    addFact(left, FactRelation::eq, right, reason);
    return Progress::done;
  }
  if (anyStream && !anyFree && !(streams(left) && streams(right))) return failSizes(ConflictKind::stream, a, b, reason);
  return std::nullopt;
}

// c*k where a size of the run is: k is the quotient, and that c divides it is left to the run.
bool Solver::solveByQuotient(Dim difference, const ShapePart& a, const ShapePart& b, ReasonId reason) {
  const ReasonKind kind = why_[reason].kind;
  if (kind != ReasonKind::match && kind != ReasonKind::call) return false;
  std::optional<DimVar> open;
  bool ofTheRun = false;
  for (DimVar v : s_.dims.variables(difference)) {
    const DimVarInfo& info = s_.dimVars[v.index];
    if (info.kind != (info.rigid ? DimKind::runtime : DimKind::plain) || (!info.rigid && (open || !info.isSize)))
      return false;
    ofTheRun |= info.rigid;
    if (!info.rigid) open = v;
  }
  if (!open || !ofTheRun) return false;
  const Factor factor{false, open->index, 1};
  std::int64_t count = 0;
  for (const Term& term : s_.dims.terms(difference))
    if (term.factors == std::vector<Factor>{factor}) count = term.coefficient;
  Dim rest = s_.dims.sub(difference, s_.dims.fromTerms({Term{count, {factor}}}));
  auto others = s_.dims.variables(rest);
  if (count == 0 || s_.dims.isUndefined(rest) || std::binary_search(others.begin(), others.end(), *open)) return false;
  Dim whole = count < 0 ? rest : s_.dims.mul(s_.dims.constant(-1), rest), divisor = s_.dims.constant(std::abs(count));
  Dim quotient = s_.dims.div(whole, divisor);
  std::vector<OriginId> origins = originsOf(ShapePart::of(rest));
  for (const ShapePart* side : {&a, &b})
    if (origins.empty()) origins = originsOf(*side);
  bindDim(*open, quotient, reason, origins.empty() ? OriginId{} : origins.front());
  addFact(s_.dims.mod(whole, divisor), FactRelation::eq, s_.dims.constant(0), reason);
  if (!isNonNegative(quotient)) addFact(quotient, FactRelation::ge, s_.dims.constant(0), reason);
  return true;
}

// Nothing more is learnt of the sizes that `choose` tells of: one that only a size of the run could tell, and does not,
// is of no use. `given` are types that say what they are.
bool Solver::checkDetermined(const std::function<bool(const Constraint&)>& choose, const std::vector<TypeId>& given) {
  Variables known;
  for (TypeId type : given) collect(type, known);
  for (const Constraint* waiting : pending(ConstraintKind::dimEqual)) {
    const Constraint equation = *waiting;
    if (!choose(equation)) continue;
    Variables mentioned;
    collect(equation, mentioned);
    std::optional<DimVar> open;
    bool ofTheRun = false;
    for (DimVar v : mentioned.dims) {
      const DimVarInfo& info = s_.dimVars[v.index];
      ofTheRun |= info.rigid && info.kind == DimKind::runtime;
      if (!info.rigid && std::find(known.dims.begin(), known.dims.end(), v) == known.dims.end()) open = v;
    }
    if (!open || !ofTheRun) continue;
    Conflict c;
    c.kind = ConflictKind::undetermined;
    c.reason = equation.reason;
    ShapePart a = equation.shapes[0][0], b = equation.shapes[1][0];
    auto vars = s_.dims.variables(s_.resolve(a.dim));
    if (!std::binary_search(vars.begin(), vars.end(), *open)) std::swap(a, b);
    c.left = show(a.dim);
    c.right = show(b.dim);
    c.sizeName = s_.dims.name(*open);
    c.origins = originsOf(a);
    c.leftOrigins = c.origins.size();
    for (OriginId o : originsOf(b)) c.origins.push_back(o);
    return fail(std::move(c));
  }
  return true;
}

// For `difference` >= 0: a stream grows, so what grows with it is reached after a delay.
bool Solver::isReachedLater(Dim difference) {
  bool grows = false;
  for (const Term& term : s_.dims.terms(difference)) {
    bool ofStream = false;
    for (const Factor& f : term.factors) {
      if (!f.isAtom) {
        ofStream |= s_.dimVars[f.index].kind == DimKind::streamed;
        continue;
      }
      const Atom atom = s_.dims.atom(f.index);
      if (!streams(atom.left) && !streams(atom.right)) continue;
      if (atom.op != AtomOp::div || !s_.dims.asConstant(atom.right) || !isReachedLater(atom.left)) return false;
      ofStream = true;
    }
    if (ofStream && term.coefficient < 0) return false;
    grows |= ofStream;
  }
  return grows;
}

bool Solver::needWhole(Dim d, ReasonId reason) {
  d = s_.resolve(d);
  if (s_.dims.isUndefined(d)) return true;
  for (DimVar v : std::vector<DimVar>(s_.dims.variables(d).begin(), s_.dims.variables(d).end())) {
    DimVarInfo& info = s_.dimVars[v.index];
    if (info.kind == DimKind::streamed) {
      Conflict c;
      c.kind = ConflictKind::stream;
      c.reason = reason;
      c.text = show(d);
      c.origins = originsOf(ShapePart::of(d));
      return fail(std::move(c));
    }
    if (!info.whole.index) info.whole = reason;
  }
  return true;
}

bool Solver::needWhole(const Shape& shape, ReasonId reason) {
  for (const ShapePart& part : s_.resolve(shape)) {
    if (!part.isVar && !needWhole(part.dim, reason)) return false;
    if (part.isVar && !s_.shapeVars[part.var.index].whole.index) s_.shapeVars[part.var.index].whole = reason;
  }
  return true;
}

bool Solver::needUnragged(Dim d, ReasonId reason) {
  auto v = s_.dims.asVariable(s_.resolve(d));
  if (!v) return true;
  DimVarInfo& info = s_.dimVars[v->index];
  if (info.kind != DimKind::ragged) {
    if (!info.unragged.index) info.unragged = reason;
    return true;
  }
  Conflict c;
  c.kind = ConflictKind::unragged;
  c.reason = reason;
  c.left = show(d);
  c.origins = originsOf(ShapePart::of(d));
  return fail(std::move(c));
}

bool Solver::needUnragged(const Shape& shape, ReasonId reason) {
  for (const ShapePart& part : s_.resolve(shape)) {
    if (!part.isVar && !needUnragged(part.dim, reason)) return false;
    if (part.isVar && !s_.shapeVars[part.var.index].unragged.index) s_.shapeVars[part.var.index].unragged = reason;
  }
  return true;
}

// The equation that put `v` where it stands; none where it was written there.
ReasonId Solver::whyMentioned(DimVar v) {
  auto mentions = [&](Dim d) {
    auto all = s_.dims.variables(d);
    return std::binary_search(all.begin(), all.end(), v);
  };
  for (const DimVarInfo& other : s_.dimVars)
    if (other.boundWhy.index && other.binding && mentions(*other.binding)) return other.boundWhy;
  for (const ShapeVarInfo& other : s_.shapeVars)
    if (other.boundWhy.index && other.binding &&
        std::any_of(other.binding->begin(), other.binding->end(),
                    [&](const ShapePart& p) { return !p.isVar && mentions(p.dim); }))
      return other.boundWhy;
  return {};
}

bool Solver::checkGiven(TypeId given, std::size_t from, const std::string& name) {
  if (!checkEscape(given, from, name)) return false;
  auto length = misplacedLength(given);
  auto v = length ? s_.dims.asVariable(*length) : std::nullopt;
  if (!v) return true;
  Conflict c;
  c.kind = ConflictKind::ragged;
  c.reason = whyMentioned(*v);
  if (!c.reason.index) return true;  // a written one is told where it is written
  c.left = show(*length);
  c.sizeName = name;
  c.origins = {s_.dimVars[v->index].origin};
  c.leftOrigins = 1;
  return fail(std::move(c));
}

bool Solver::checkEscape(TypeId given, std::size_t from, const std::string& name) {
  Variables variables;
  collect(given, variables);
  for (DimVar k : variables.dims) {
    const DimVarInfo& info = s_.dimVars[k.index];
    if (k.index < from || !info.rigid || info.universal || info.kind != DimKind::runtime) continue;
    Conflict c;
    c.kind = ConflictKind::escape;
    c.reason = whyMentioned(k);
    c.left = name;
    c.right = show(s_.dims.variable(k));
    c.text = info.maker;
    c.origins = {info.origin};
    return fail(std::move(c));
  }
  return true;
}

void Solver::closeRuntime(TypeId result, std::size_t from) {
  Variables variables;
  collect(result, variables);
  for (DimVar v : variables.dims) {
    DimVarInfo& info = s_.dimVars[v.index];
    bool made = v.index >= from && info.rigid && !info.universal;
    if (made && (info.kind == DimKind::runtime || info.kind == DimKind::ragged)) info.closed = true;
  }
}

// ---- elements of `map` and `loop` -------------------------------------------------------------------------------

Solver::Progress Solver::runElement(Constraint& c) {
  Shape from = s_.resolve(c.shapes[1]), to;
  bool settled = !c.dims.empty() && s_.dims.asConstant(c.dims.back()) == 1;
  if (!settled && std::any_of(from.begin(), from.end(), [](const ShapePart& p) { return p.isVar; }))
    return Progress::waiting;
  for (const ShapePart& part : from) {
    auto v = part.isVar ? std::nullopt : s_.dims.asVariable(part.dim);
    if (!v || s_.dimVars[v->index].kind != DimKind::ragged || to.size() >= s_.dimVars[v->index].over.size()) {
      to.push_back(part);
      continue;
    }
    auto [known, isNew] = elementLengths_.try_emplace({v->index, c.reason.index});
    if (isNew) {
      // Directly behind the elements' dimension it is one length, else a function of the others.
      bool single = to.empty();
      const DimVarInfo whole = s_.dimVars[v->index];
      known->second = freshRigid(s_.dims.name(*v), single ? DimKind::runtime : DimKind::ragged, whole.origin,
                                 why_[c.reason].subject);
      DimVarInfo& info = s_.dimVars[known->second.index];
      info.lengthOf = *v;
      info.element = c.reason;
      if (!single) info.over = to;
    }
    to.push_back(ShapePart::of(s_.dims.variable(known->second), part.origin));
  }
  return unifyShape(c.shapes[0], to, c.reason) ? Progress::done : Progress::failed;
}

void Solver::settleElements() {
  for (Constraint& c : take([](const Constraint& c) { return c.kind == ConstraintKind::element; })) {
    c.dims = {s_.dims.constant(1)};
    add(std::move(c));
  }
  solve();
}

// An element's size as one of the whole: a length that the application took apart is put back, one that each element
// makes for itself becomes a ragged one.
Dim Solver::collected(Dim d, const Shape& before, ReasonId reason) {
  auto v = s_.dims.asVariable(d);
  if (v && s_.dimVars[v->index].lengthOf && s_.dimVars[v->index].element.index == reason.index)
    return s_.dims.variable(*s_.dimVars[v->index].lengthOf);
  DimVar varies;
  bool any = false;
  for (DimVar part : s_.dims.variables(d)) {
    const DimVarInfo& info = s_.dimVars[part.index];
    if (info.closed || (info.lengthOf && info.element.index == reason.index)) {
      varies = part;
      any = true;
    }
  }
  if (!any) return d;
  auto [known, isNew] = collectedLengths_.try_emplace({d.index, reason.index});
  if (isNew) {
    const DimVarInfo element = s_.dimVars[varies.index];
    known->second = freshRigid("", DimKind::ragged, element.origin, element.maker);
    s_.dimVars[known->second.index].over = before;
  }
  return s_.dims.variable(known->second);
}

std::optional<Dim> Solver::misplacedLength(TypeId type) {
  const TypeTerm term = s_.types[s_.resolve(type)];
  if (term.kind == TypeKind::tuple)
    for (TypeId part : term.parts)
      if (auto found = misplacedLength(part)) return found;
  if (term.kind != TypeKind::tensor) return std::nullopt;
  Shape shape = s_.resolve(term.shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].isVar || s_.kindOf(shape[i].dim) != DimKind::ragged) continue;
    auto v = s_.dims.asVariable(shape[i].dim);
    if (!v) return shape[i].dim;
    Shape over = s_.resolve(s_.dimVars[v->index].over);
    if (over.empty() && s_.dimVars[v->index].over.empty()) continue;  // not known yet
    bool fits =
        over.size() <= i && std::equal(over.rbegin(), over.rend(), shape.rbegin() + (shape.size() - i),
                                       [](const ShapePart& a, const ShapePart& b) {
                                         return a.isVar == b.isVar && (a.isVar ? a.var == b.var : a.dim == b.dim);
                                       });
    if (!fits) return shape[i].dim;
  }
  return std::nullopt;
}

void Solver::openRuntime(TypeId result) {
  const TypeTerm term = s_.types[s_.resolve(result)];
  if (term.kind == TypeKind::tuple)
    for (TypeId part : term.parts) openRuntime(part);
  if (term.kind != TypeKind::tensor) return;
  Variables variables;
  collect(term.shape, variables);
  for (DimVar v : variables.dims) s_.dimVars[v.index].closed = false;
}

bool Solver::hasRuntimeRank(TypeId type) {
  const TypeTerm term = s_.types[s_.resolve(type)];
  return std::any_of(term.shape.begin(), term.shape.end(),
                     [&](const ShapePart& p) { return p.isVar && s_.shapeVars[p.var.index].runtime; });
}

void Solver::makeRuntime(TypeId type, std::size_t from, OriginId origin, const std::string& maker) {
  Variables variables;
  collect(type, variables);
  for (DimVar v : variables.dims) {
    DimVarInfo& info = s_.dimVars[v.index];
    if (v.index < from || info.rigid) continue;
    info.kind = DimKind::runtime;
    info.rigid = true;
    info.maker = maker;
    info.origin = origin;
  }
}

std::optional<DimVar> Solver::closedSize(TypeId type, bool withFunctions) {
  const TypeTerm term = s_.types[s_.resolve(type)];
  if (term.kind != TypeKind::tensor && !withFunctions) return std::nullopt;
  Variables variables;
  collect(type, variables);
  for (DimVar v : variables.dims)
    if (s_.dimVars[v.index].closed) return v;
  return std::nullopt;
}

}  // namespace axle
