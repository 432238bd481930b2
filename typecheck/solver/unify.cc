// Unification of types, shapes, elements and static values. Shapes are normalised to parts; both ends are stripped,
// what is forced is solved, the rest is suspended (LANGUAGE.md, section 4; the paper's section 5).
#include <algorithm>

#include "typecheck/solver/solver.h"

namespace axle {
namespace {

Conflict conflictOf(ConflictKind kind, ReasonId reason, std::string left, std::string right,
                    std::vector<OriginId> origins) {
  Conflict c;
  c.kind = kind;
  c.reason = reason;
  c.left = std::move(left);
  c.right = std::move(right);
  c.origins = std::move(origins);
  c.leftOrigins = c.origins.empty() ? 0 : 1;
  return c;
}

}  // namespace

bool Solver::fail(Conflict conflict) {
  conflicts.push_back(std::move(conflict));
  return false;
}

DimVar Solver::freshDim(std::string name, bool named) {
  DimVar v = s_.dims.newVariable(std::move(name));
  DimVarInfo info;
  info.level = level;
  info.named = named;
  s_.dimVars.push_back(std::move(info));
  dimWatch_.emplace_back();
  return v;
}

ShapeVar Solver::freshShape(std::string name, bool literal) {
  ShapeVarInfo info;
  info.level = level;
  info.literal = info.metLiteral = literal;
  info.name = std::move(name);
  s_.shapeVars.push_back(std::move(info));
  shapeWatch_.emplace_back();
  return ShapeVar{static_cast<std::uint32_t>(s_.shapeVars.size() - 1)};
}

ElemVar Solver::freshElem(std::string name, ElemClass elemClass) {
  ElemVarInfo info;
  info.level = level;
  info.elemClass = elemClass;
  info.name = std::move(name);
  s_.elemVars.push_back(std::move(info));
  elemWatch_.emplace_back();
  return ElemVar{static_cast<std::uint32_t>(s_.elemVars.size() - 1)};
}

TypeId Solver::freshType() {
  s_.typeVars.push_back({level, {}, {}});
  typeWatch_.emplace_back();
  TypeTerm term;
  term.kind = TypeKind::var;
  term.var = TypeVar{static_cast<std::uint32_t>(s_.typeVars.size() - 1)};
  return s_.types.add(std::move(term));
}

StaticVar Solver::freshStatic(std::string name) {
  s_.staticVars.push_back({level, {}, std::move(name)});
  staticWatch_.emplace_back();
  return StaticVar{static_cast<std::uint32_t>(s_.staticVars.size() - 1)};
}

std::string Solver::show(const Shape& shape) {
  Shape flat = s_.resolve(shape);
  std::string out;
  bool inDims = false;
  for (const ShapePart& part : flat) {
    if (part.isVar) {
      if (inDims) out += "]";
      if (!out.empty()) out += " @ ";
      const ShapeVarInfo& info = s_.shapeVars[part.var.index];
      out += (info.runtime ? "?" : "") + info.name;
      inDims = false;
    } else {
      out += inDims ? ", " : out.empty() ? "[" : " @ [";
      out += s_.printSize(part.dim);
      inDims = true;
    }
  }
  if (inDims) out += "]";
  return out.empty() ? "[]" : out;
}

std::string Solver::show(StaticId list) {
  std::string out;
  for (StaticId item : s_.types[s_.resolve(list)].items) {
    const StaticTerm& term = s_.types[s_.resolve(item)];
    out += (out.empty() ? "" : ", ") + (term.kind == StaticKind::dim ? s_.dims.print(term.dim) : std::string("_"));
  }
  return "[" + out + "]";
}

std::vector<OriginId> Solver::originsOf(const ShapePart& part) {
  std::vector<OriginId> out;
  auto push = [&](OriginId o) {
    if (o.index && std::find(out.begin(), out.end(), o) == out.end()) out.push_back(o);
  };
  // What bound a size says more than where its name is written.
  std::vector<Dim> open;
  if (!part.isVar) open.push_back(part.dim);
  if (part.isVar || !s_.dims.asVariable(part.dim)) push(part.origin);
  for (std::size_t i = 0; i < open.size() && i < 16; ++i)
    for (DimVar v : s_.dims.variables(open[i])) {
      const DimVarInfo& info = s_.dimVars[v.index];
      push(info.boundBy);
      push(info.origin);
      if (info.binding) open.push_back(*info.binding);
    }
  push(part.origin);
  return out;
}

void Solver::collect(Dim dim, Variables& into) {
  for (DimVar v : s_.dims.variables(s_.resolve(dim))) into.dims.push_back(v);
}

void Solver::collect(const Shape& shape, Variables& into) {
  for (const ShapePart& part : s_.resolve(shape))
    if (part.isVar)
      into.shapes.push_back(part.var);
    else
      for (DimVar v : s_.dims.variables(part.dim)) into.dims.push_back(v);
}

void Solver::collect(StaticId value, Variables& into) {
  value = s_.resolve(value);
  const StaticTerm& term = s_.types[value];
  if (term.kind == StaticKind::var) into.statics.push_back(term.var);
  if (term.kind == StaticKind::dim) collect(term.dim, into);
  if (term.kind == StaticKind::list)
    for (StaticId item : std::vector<StaticId>(term.items)) collect(item, into);
}

void Solver::collect(TypeId type, Variables& into) {
  s_.step();
  const TypeTerm term = s_.types[type];
  switch (term.kind) {
    case TypeKind::error:
      break;
    case TypeKind::var:
      if (const auto binding = s_.typeVars[term.var.index].binding)
        collect(*binding, into);
      else
        into.types.push_back(term.var);
      break;
    case TypeKind::tensor: {
      ElemTerm elem = s_.resolve(term.elem);
      if (elem.isVar) into.elems.push_back(elem.var);
      collect(term.shape, into);
      break;
    }
    case TypeKind::tuple:
    case TypeKind::function:
      for (TypeId part : term.parts) collect(part, into);
      if (term.kind == TypeKind::function) collect(term.result, into);
      for (const StaticField& field : term.statics) collect(field.value, into);
      break;
  }
}

void Solver::lowerLevels(const Variables& variables, std::uint32_t to) {
  for (TypeVar v : variables.types) s_.typeVars[v.index].level = std::min(s_.typeVars[v.index].level, to);
  for (ElemVar v : variables.elems) s_.elemVars[v.index].level = std::min(s_.elemVars[v.index].level, to);
  for (ShapeVar v : variables.shapes) s_.shapeVars[v.index].level = std::min(s_.shapeVars[v.index].level, to);
  for (DimVar v : variables.dims) s_.dimVars[v.index].level = std::min(s_.dimVars[v.index].level, to);
  for (StaticVar v : variables.statics) s_.staticVars[v.index].level = std::min(s_.staticVars[v.index].level, to);
}

bool Solver::bindType(TypeVar v, TypeId to, ReasonId reason) {
  Variables variables;
  collect(to, variables);
  for (TypeVar inner : variables.types)
    if (inner == v) return fail(conflictOf(ConflictKind::occurs, reason, "", "", {s_.types[to].origin}));
  lowerLevels(variables, s_.typeVars[v.index].level);
  s_.typeVars[v.index].binding = to;
  wake(typeWatch_[v.index]);
  return true;
}

bool Solver::unify(TypeId left, TypeId right, ReasonId reason) {
  s_.step();
  if (left == right) return true;
  TypeTerm a = s_.types[left], b = s_.types[right];
  while (a.kind == TypeKind::var && s_.typeVars[a.var.index].binding) {
    left = *s_.typeVars[a.var.index].binding;
    a = s_.types[left];
  }
  while (b.kind == TypeKind::var && s_.typeVars[b.var.index].binding) {
    right = *s_.typeVars[b.var.index].binding;
    b = s_.types[right];
  }
  if (a.kind == TypeKind::error || b.kind == TypeKind::error) return true;
  if (a.kind == TypeKind::var && b.kind == TypeKind::var && a.var == b.var) return true;
  if (a.kind == TypeKind::var) return bindType(a.var, right, reason);
  if (b.kind == TypeKind::var) return bindType(b.var, left, reason);
  if (a.kind != b.kind) {
    auto what = [](TypeKind k) {
      return k == TypeKind::tensor ? "a tensor" : k == TypeKind::tuple ? "a tuple" : "a function";
    };
    return fail(conflictOf(ConflictKind::type, reason, what(a.kind), what(b.kind), {a.origin, b.origin}));
  }
  if (a.kind == TypeKind::tuple) return unifyTuples(a, b, reason);
  if (a.kind == TypeKind::function) return unifyFunctions(a, b, reason);
  if (!unifyElem(a.elem, b.elem, a.origin, b.origin, reason)) return false;
  std::size_t before = conflicts.size();
  if (unifyShape(a.shape, b.shape, reason)) return true;
  if (conflicts.size() > before)
    for (OriginId o : {a.origin, b.origin})
      if (o.index && conflicts.back().kind == ConflictKind::rank) conflicts.back().origins.push_back(o);
  return false;
}

bool Solver::unifyTuples(const TypeTerm& a, const TypeTerm& b, ReasonId reason) {
  if (a.parts.size() != b.parts.size())
    return fail(conflictOf(ConflictKind::tupleArity, reason, std::to_string(a.parts.size()),
                           std::to_string(b.parts.size()), {a.origin, b.origin}));
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    if (!unify(a.parts[i], b.parts[i], reason)) return false;
  return true;
}

bool Solver::unifyFunctions(const TypeTerm& a, const TypeTerm& b, ReasonId reason) {
  if (a.parts.size() != b.parts.size())
    return fail(conflictOf(ConflictKind::functionArity, reason, std::to_string(a.parts.size()),
                           std::to_string(b.parts.size()), {a.origin, b.origin}));
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    if (!unify(a.parts[i], b.parts[i], reason)) return false;
  // Where only one side has static parameters, they take their defaults.
  for (const auto* side : {&a, &b}) {
    const TypeTerm& other = side == &a ? b : a;
    for (const StaticField& field : side->statics) {
      auto match = std::find_if(other.statics.begin(), other.statics.end(),
                                [&](const StaticField& f) { return f.name == field.name; });
      if (!unifyStatic(field.value, match == other.statics.end() ? field.defaultValue : match->value, reason))
        return false;
    }
  }
  return unify(a.result, b.result, reason);
}

bool Solver::narrow(ElemTerm elem, ElemClass elemClass, OriginId asked, OriginId given, ReasonId reason) {
  elem = s_.resolve(elem);
  if (!elem.isVar) {
    if (contains(elemClass, elem.elem)) return true;
    return fail(conflictOf(ConflictKind::elemClass, reason, name(elemClass), std::string(info(elem.elem).name),
                           {asked, given}));
  }
  ElemVarInfo& v = s_.elemVars[elem.var.index];
  auto both = meet(v.elemClass, elemClass);
  if (!both)
    return fail(conflictOf(ConflictKind::elemClass, reason, name(elemClass), name(v.elemClass), {asked, v.origin}));
  if (*both != v.elemClass) v.origin = asked;
  v.elemClass = *both;
  return true;
}

bool Solver::unifyElem(ElemTerm a, ElemTerm b, OriginId originA, OriginId originB, ReasonId reason) {
  auto boundBy = [&](ElemTerm e, OriginId otherwise) {
    while (e.isVar && s_.elemVars[e.var.index].binding) {
      if (s_.elemVars[e.var.index].boundBy.index) otherwise = s_.elemVars[e.var.index].boundBy;
      e = *s_.elemVars[e.var.index].binding;
    }
    return otherwise;
  };
  OriginId fromA = boundBy(a, originA), fromB = boundBy(b, originB);
  a = s_.resolve(a);
  b = s_.resolve(b);
  if (a == b) return true;
  if (!a.isVar && !b.isVar)
    return fail(conflictOf(ConflictKind::elem, reason, std::string(info(a.elem).name), std::string(info(b.elem).name),
                           {fromA, fromB}));
  if (!a.isVar) {
    std::swap(a, b);
    std::swap(fromA, fromB);
  }
  // a is a variable; b whatever
  if (b.isVar && s_.elemVars[a.var.index].name.size() > 0 && s_.elemVars[b.var.index].name.empty()) {
    std::swap(a, b);
    std::swap(fromA, fromB);
  }
  ElemVarInfo& v = s_.elemVars[a.var.index];
  if (!narrow(b, v.elemClass, v.origin.index ? v.origin : fromA, fromB, reason)) return false;
  if (b.isVar) s_.elemVars[b.var.index].level = std::min(s_.elemVars[b.var.index].level, v.level);
  v.binding = b;
  v.boundBy = fromB;
  wake(elemWatch_[a.var.index]);
  return true;
}

bool Solver::bindShape(ShapeVar v, const Shape& to, ReasonId reason, OriginId origin) {
  if (to.size() == 1 && to[0].isVar && to[0].var == v) return true;
  if (s_.shapeVars[v.index].runtime) {
    if (to.size() == 1 && to[0].isVar && !s_.shapeVars[to[0].var.index].runtime)
      return bindShape(to[0].var, {ShapePart::of(v)}, reason, origin);
    if (reason.index && why_[reason].kind == ReasonKind::match) return true;  // checked when the run comes there
    return fail(conflictOf(ConflictKind::escape, reason, show({ShapePart::of(v)}), show(to), {origin}));
  }
  Variables variables;
  collect(to, variables);
  if (std::find(variables.shapes.begin(), variables.shapes.end(), v) != variables.shapes.end()) {
    // v = p @ v @ q: everything besides v is empty
    for (const ShapePart& part : s_.resolve(to)) {
      if (!part.isVar)
        return fail(conflictOf(ConflictKind::rank, reason, s_.shapeVars[v.index].name, show(to), {origin}));
      if (part.var != v && !bindShape(part.var, {}, reason, origin)) return false;
    }
    return true;
  }
  bool variableOnly = to.size() == 1 && to[0].isVar;
  if (variableOnly) {  // the literal's variable goes, else the one without a user's name
    ShapeVarInfo& mine = s_.shapeVars[v.index];
    ShapeVarInfo& other = s_.shapeVars[to[0].var.index];
    if (other.literal && !mine.literal) return bindShape(to[0].var, {ShapePart::of(v)}, reason, origin);
    other.metLiteral |= mine.metLiteral;
  }
  lowerLevels(variables, s_.shapeVars[v.index].level);
  s_.shapeVars[v.index].binding = to;
  s_.shapeVars[v.index].boundBy = origin;
  s_.shapeVars[v.index].boundWhy = reason;
  wake(shapeWatch_[v.index]);
  if (ReasonId unragged = s_.shapeVars[v.index].unragged; unragged.index && !needUnragged(to, unragged)) return false;
  if (ReasonId whole = s_.shapeVars[v.index].whole; whole.index) return needWhole(to, whole);
  return true;
}

bool Solver::unifyShape(const Shape& a, const Shape& b, ReasonId reason) {
  Progress progress = tryShapeEqual(a, b, reason);
  if (progress == Progress::waiting) {
    Constraint rest;
    rest.kind = ConstraintKind::shapeEqual;
    rest.reason = reason;
    rest.shapes = {a, b};
    add(std::move(rest));
  }
  return progress != Progress::failed;
}

Solver::Progress Solver::tryShapeEqual(const Shape& left, const Shape& right, ReasonId reason) {
  Shape a = s_.flatten(left), b = s_.flatten(right);
  const Shape wholeA = a, wholeB = b;
  auto equalParts = [&](const ShapePart& x, const ShapePart& y, bool& failed) {
    if (x.isVar != y.isVar) return false;
    if (x.isVar) return x.var == y.var;
    if (!unifyDim(x, y, reason)) failed = true;
    return true;
  };
  bool failed = false;
  auto strip = [&](bool trailing) {
    while (!a.empty() && !b.empty() && !failed) {
      if (!equalParts(trailing ? a.back() : a.front(), trailing ? b.back() : b.front(), failed)) break;
      if (trailing) {
        a.pop_back();
        b.pop_back();
      } else {
        a.erase(a.begin());
        b.erase(b.begin());
      }
    }
  };
  auto allDims = [](const Shape& s) {
    return std::none_of(s.begin(), s.end(), [](const ShapePart& p) { return p.isVar; });
  };
  auto dimCount = [](const Shape& s) {
    return static_cast<std::size_t>(std::count_if(s.begin(), s.end(), [](const ShapePart& p) { return !p.isVar; }));
  };
  auto rankConflict = [&] {
    Conflict c = conflictOf(ConflictKind::rank, reason, show(wholeA), show(wholeB), {});
    for (const Shape* s : {&wholeA, &wholeB})
      if (!s->empty() && s->front().origin.index) c.origins.push_back(s->front().origin);
    fail(std::move(c));
    return Progress::failed;
  };
  // Ranks first: a rank error is told as such, not as a difference of two sizes.
  if ((allDims(a) && dimCount(b) > a.size()) || (allDims(b) && dimCount(a) > b.size()) ||
      (allDims(a) && allDims(b) && a.size() != b.size()))
    return rankConflict();
  strip(true);
  if (!failed) strip(false);
  if (failed) return Progress::failed;
  if (a.empty() || b.empty()) {
    const Shape& rest = a.empty() ? b : a;
    if (!allDims(rest) || !rest.empty())
      for (const ShapePart& part : rest) {
        if (!part.isVar) return rankConflict();
        if (!bindShape(part.var, {}, reason, {})) return Progress::failed;
      }
    return Progress::done;
  }
  auto originOf = [](const Shape& s) { return s.front().origin; };
  bool aVar = a.size() == 1 && a[0].isVar, bVar = b.size() == 1 && b[0].isVar;
  if (aVar && bVar) {  // keep the user's name
    const ShapeVarInfo& infoA = s_.shapeVars[a[0].var.index];
    const ShapeVarInfo& infoB = s_.shapeVars[b[0].var.index];
    bool keepA = infoA.named != infoB.named ? infoA.named : infoB.level >= infoA.level;
    return bindShape(keepA ? b[0].var : a[0].var, keepA ? a : b, reason, {}) ? Progress::done : Progress::failed;
  }
  if (aVar) return bindShape(a[0].var, b, reason, originOf(b)) ? Progress::done : Progress::failed;
  if (bVar) return bindShape(b[0].var, a, reason, originOf(a)) ? Progress::done : Progress::failed;
  for (const auto& [known, open] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (allDims(*known) && dimCount(*open) == known->size()) {
      for (const ShapePart& part : Shape(*open))
        if (part.isVar && !bindShape(part.var, {}, reason, {})) return Progress::failed;
      return tryShapeEqual(left, right, reason);
    }
  return Progress::waiting;
}

bool Solver::unifyStatic(StaticId left, StaticId right, ReasonId reason) {
  left = s_.resolve(left);
  right = s_.resolve(right);
  if (left == right) return true;
  StaticTerm a = s_.types[left], b = s_.types[right];
  if (a.kind != StaticKind::var && b.kind == StaticKind::var) {
    std::swap(a, b);
    std::swap(left, right);
  }
  if (a.kind == StaticKind::var) {
    if (b.kind == StaticKind::var && b.var == a.var) return true;
    Variables variables;
    collect(right, variables);
    lowerLevels(variables, s_.staticVars[a.var.index].level);
    s_.staticVars[a.var.index].binding = right;
    wake(staticWatch_[a.var.index]);
    return true;
  }
  auto differ = [&] {
    Conflict c = conflictOf(ConflictKind::attribute, reason, "", "", {});
    c.text = "static arguments differ";
    return fail(std::move(c));
  };
  if (a.kind != b.kind) return differ();
  switch (a.kind) {
    case StaticKind::dim:
      return unifyDim(ShapePart::of(a.dim), ShapePart::of(b.dim), reason);
    case StaticKind::boolean:
      return a.boolean == b.boolean || differ();
    case StaticKind::text:
      return a.text == b.text || differ();
    case StaticKind::real:
      return a.real == b.real || differ();
    case StaticKind::list:
      if (a.items.size() != b.items.size()) return differ();
      for (std::size_t i = 0; i < a.items.size(); ++i)
        if (!unifyStatic(a.items[i], b.items[i], reason)) return false;
      return true;
    default:
      return true;
  }
}

}  // namespace axle
