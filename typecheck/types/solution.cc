#include "typecheck/types/solution.h"

#include <algorithm>

#include "typecheck/types/typed.h"

namespace axle {

const char* name(ElemClass c) {
  constexpr const char* names[] = {"any", "eq", "num", "float", "int"};
  return names[static_cast<int>(c)];
}

bool contains(ElemClass c, Elem elem) {
  const ElemInfo& e = info(elem);
  switch (c) {
    case ElemClass::any:
      return true;
    case ElemClass::eq:
      return elem != Elem::string;
    case ElemClass::num:
      return e.isFloat || e.isInt;
    case ElemClass::floating:
      return e.isFloat;
    case ElemClass::integer:
      return e.isInt;
  }
  return false;
}

std::optional<ElemClass> meet(ElemClass a, ElemClass b) {
  if (a == b || b == ElemClass::any) return a;
  if (a == ElemClass::any) return b;
  bool aNarrow = a == ElemClass::floating || a == ElemClass::integer;
  bool bNarrow = b == ElemClass::floating || b == ElemClass::integer;
  if (aNarrow && bNarrow) return std::nullopt;
  return static_cast<int>(a) > static_cast<int>(b) ? a : b;
}

Solution::Mark Solution::mark() {
  return {dims.mark(),      types.mark(),   typeVars.mark(),  elemVars.mark(),
          shapeVars.mark(), dimVars.mark(), staticVars.mark()};
}

void Solution::rollback(const Mark& to) noexcept {
  dims.rollback(to.dims);
  types.rollback(to.types);
  typeVars.rollback(to.typeVars);
  elemVars.rollback(to.elemVars);
  shapeVars.rollback(to.shapeVars);
  dimVars.rollback(to.dimVars);
  staticVars.rollback(to.staticVars);
}

void Solution::release() noexcept {
  typeVars.release();
  elemVars.release();
  shapeVars.release();
  dimVars.release();
  staticVars.release();
}

Dim Solution::resolve(Dim d, const Substitution* with) {
  if (dims.isUndefined(d) || dims.variables(d).empty()) return d;
  if (auto v = dims.asVariable(d)) {
    if (const auto& binding = dimVars[v->index].binding) return resolve(*binding, with);
    if (with)
      if (auto it = with->dims.find(v->index); it != with->dims.end()) return resolve(it->second);
    return d;
  }
  auto replaced = [&](DimVar v) { return dimVars[v.index].binding || (with && with->dims.count(v.index)); };
  auto variables = dims.variables(d);
  if (std::none_of(variables.begin(), variables.end(), replaced)) return d;
  return dims.substitute(d, [&](DimVar v) -> std::optional<Dim> {
    if (const auto& binding = dimVars[v.index].binding) return resolve(*binding, with);
    if (with)
      if (auto it = with->dims.find(v.index); it != with->dims.end()) return resolve(it->second);
    return std::nullopt;
  });
}

// Returns the binding of a variable, flattened. Caches short ones: otherwise a chain of bindings would be followed
// again each time.
const Shape& Solution::boundTo(ShapeVar v) {
  constexpr std::size_t keptParts = 16;
  const ShapeVarInfo& info = shapeVars[v.index];
  const Shape& known = info.flat ? *info.flat : *info.binding;
  auto bound = [this](const ShapePart& part) { return part.isVar && shapeVars[part.var.index].binding; };
  if (std::none_of(known.begin(), known.end(), bound)) return known;
  Shape flat = flatten(known);
  if (flat.size() > keptParts) return longShape_ = std::move(flat);
  return shapeVars.edit(v.index).flat.emplace(std::move(flat));
}

Shape Solution::resolve(const Shape& shape, const Substitution* with) {
  auto isBound = [this](const ShapePart& part) { return part.isVar && shapeVars[part.var.index].binding; };
  Shape flat;
  bool any = std::any_of(shape.begin(), shape.end(), isBound);
  if (any)
    flat = flatten(shape);
  else
    work(shape.size());
  Shape out;
  out.reserve(shape.size());
  for (const ShapePart& part : any ? flat : shape) {
    if (!part.isVar) {
      out.push_back(resolve(part, with));
      continue;
    }
    if (with) {
      if (auto it = with->shapes.find(part.var.index); it != with->shapes.end()) {
        out.insert(out.end(), it->second.begin(), it->second.end());
        continue;
      }
    }
    out.push_back(part);
  }
  return out;
}

// Whether `resolve` may change the part: one of its variables has a value or an origin.
bool Solution::isReplaced(const ShapePart& part, const Substitution* with) const {
  if (part.isVar) return shapeVars[part.var.index].binding || (with && with->shapes.count(part.var.index));
  if (dims.isUndefined(part.dim)) return false;
  const auto variables = dims.variables(part.dim);
  return std::any_of(variables.begin(), variables.end(), [&](DimVar v) {
    const DimVarInfo& info = dimVars[v.index];
    return info.binding || info.boundBy.index || (with && with->dims.count(v.index));
  });
}

// An inferred size takes the origin of the value that bound it.
ShapePart Solution::resolve(const ShapePart& size, const Substitution* with) {
  auto v = size.origin.index ? std::nullopt : dims.asVariable(size.dim);
  return ShapePart::of(resolve(size.dim, with), v ? dimVars[v->index].boundBy : size.origin);
}

Shape Solution::flatten(const Shape& shape) {
  Shape out;
  out.reserve(shape.size());
  for (const ShapePart& part : shape) {
    if (!part.isVar || !shapeVars[part.var.index].binding) {
      out.push_back(part);
      continue;
    }
    for (ShapePart inside : boundTo(part.var)) {
      if (!inside.origin.index) inside.origin = part.origin;
      out.push_back(inside);
    }
  }
  work(out.size());
  return out;
}

ElemTerm Solution::resolve(ElemTerm elem, const Substitution* with) const {
  while (elem.isVar) {
    if (const auto& binding = elemVars[elem.var.index].binding) {
      elem = *binding;
    } else if (with) {
      auto it = with->elems.find(elem.var.index);
      return it == with->elems.end() ? elem : it->second;
    } else {
      break;
    }
  }
  return elem;
}

StaticId Solution::resolve(StaticId value, const Substitution* with) {
  StaticTerm term = types[value];
  switch (term.kind) {
    case StaticKind::var:
      if (const auto& binding = staticVars[term.var.index].binding) return resolve(*binding, with);
      if (with)
        if (auto it = with->statics.find(term.var.index); it != with->statics.end()) return it->second;
      return value;
    case StaticKind::dim: {
      Dim d = resolve(term.dim, with);
      if (d == term.dim) return value;
      term.dim = d;
      return types.add(std::move(term));
    }
    case StaticKind::list: {
      bool changed = false;
      for (StaticId& item : term.items) {
        StaticId resolved = resolve(item, with);
        changed |= resolved != item;
        item = resolved;
      }
      return changed ? types.add(std::move(term)) : value;
    }
    default:
      return value;
  }
}

TypeId Solution::resolve(TypeId type, const Substitution* with) {
  step();
  const TypeTerm& term = types[type];
  switch (term.kind) {
    case TypeKind::error:
      return type;
    case TypeKind::var:
      if (const auto& binding = typeVars[term.var.index].binding) return resolve(*binding, with);
      if (with)
        if (auto it = with->types.find(term.var.index); it != with->types.end()) return it->second;
      return type;
    case TypeKind::tensor: {
      const ElemTerm elem = resolve(term.elem, with);
      const bool anyReplaced = std::any_of(term.shape.begin(), term.shape.end(),
                                           [&](const ShapePart& part) { return isReplaced(part, with); });
      if (elem == term.elem && !anyReplaced) {
        work(term.shape.size());
        return type;
      }
      Shape shape = resolve(term.shape, with);
      if (elem == term.elem && shape == term.shape) return type;
      TypeTerm changed = term;
      changed.elem = elem;
      changed.shape = std::move(shape);
      return types.add(std::move(changed));
    }
    case TypeKind::tuple:
    case TypeKind::function:
      break;
  }
  std::optional<TypeTerm> changed;
  const auto edit = [&]() -> TypeTerm& { return changed ? *changed : changed.emplace(term); };
  for (std::size_t i = 0; i < term.parts.size(); ++i)
    if (const TypeId part = resolve(term.parts[i], with); part != term.parts[i]) edit().parts[i] = part;
  if (term.kind == TypeKind::function)
    if (const TypeId result = resolve(term.result, with); result != term.result) edit().result = result;
  for (std::size_t i = 0; i < term.statics.size(); ++i) {
    const StaticField& field = term.statics[i];
    const auto value = resolve(field.value, with), defaultValue = resolve(field.defaultValue, with);
    if (value != field.value) edit().statics[i].value = value;
    if (defaultValue != field.defaultValue) edit().statics[i].defaultValue = defaultValue;
  }
  return changed ? types.add(std::move(*changed)) : type;
}

const TypeTerm& Solution::head(TypeId type) const {
  const TypeTerm* term = &types[type];
  while (term->kind == TypeKind::var && typeVars[term->var.index].binding)
    term = &types[*typeVars[term->var.index].binding];
  return *term;
}

DimKind Solution::kindOf(Dim d) {
  d = resolve(d);
  DimKind out = DimKind::plain;
  if (dims.isUndefined(d)) return out;
  for (DimVar v : dims.variables(d)) out = std::max(out, dimVars[v.index].kind);
  return out;
}

std::string Solution::markedName(DimVar v, const std::string& name) const {
  switch (dimVars[v.index].kind) {
    case DimKind::runtime:
      return "?" + name;
    case DimKind::ragged:
      return "*" + name;
    default:
      return name;
  }
}

std::string Solution::printSize(Dim d, const std::function<std::string(DimVar)>& nameOf) {
  std::string text = dims.print(d, nameOf);
  if (kindOf(d) != DimKind::streamed) return text;
  return dims.asVariable(resolve(d)) ? "~" + text : "~(" + text + ")";
}

std::string Solution::printSize(Dim d) {
  return printSize(d, [this](DimVar v) { return markedName(v, dims.name(v)); });
}

Substitution Solution::compose(const Substitution& outer, const Instantiation& use) {
  Substitution inner = outer;
  for (const auto& [var, type] : use.types) inner.types[var.index] = resolve(type, &outer);
  for (const auto& [var, elem] : use.elems) inner.elems[var.index] = resolve(elem, &outer);
  for (const auto& [var, shape] : use.shapes) inner.shapes[var.index] = resolve(shape, &outer);
  for (const auto& [var, dim] : use.dims) inner.dims[var.index] = resolve(dim, &outer);
  for (const auto& [var, value] : use.statics) inner.statics[var.index] = resolve(value, &outer);
  return inner;
}

}  // namespace axle
