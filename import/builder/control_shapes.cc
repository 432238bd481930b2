#include "import/builder/control_shapes.h"

#include <algorithm>

namespace axle {

std::optional<Shape> resolvedShape(GraphTyper& typer, TypedId value) {
  if (!value) return std::nullopt;
  const TypeTerm& type = typer.solution().types[typer.typeOf(value)];
  const auto isVar = [](const ShapePart& part) { return part.isVar; };
  if (type.kind != TypeKind::tensor || std::any_of(type.shape.begin(), type.shape.end(), isVar)) return std::nullopt;
  return type.shape;
}

std::optional<std::vector<Dim>> resolvedDims(GraphTyper& typer, TypedId value) {
  const auto shape = resolvedShape(typer, value);
  if (!shape) return std::nullopt;
  std::vector<Dim> dims;
  for (const ShapePart& part : *shape) dims.push_back(typer.solution().resolve(part.dim));
  return dims;
}

bool haveSameShape(GraphTyper& typer, TypedId a, TypedId b) {
  const auto dims = resolvedDims(typer, a);
  return dims && dims == resolvedDims(typer, b);
}

bool fixRank(GraphTyper& typer, TypedId value, std::size_t rank, Span at) {
  if (resolvedShape(typer, value)) return false;
  std::vector<Dim> sizes;
  for (std::size_t i = 0; i < rank; ++i) sizes.push_back(typer.unknownSize("d"));
  const ElemTerm elem = typer.solution().types[typer.typeOf(value)].elem;
  typer.unify(typer.typeOf(value), typer.tensor(elem, typer.shape(sizes), at), at, "control flow");
  return true;
}

bool inferMergedShape(GraphTyper& typer, std::span<const TypedId> cases, TypedId merged, Span at) {
  std::vector<Shape> shapes;
  for (TypedId value : cases) {
    auto shape = resolvedShape(typer, value);
    if (!shape || (!shapes.empty() && shape->size() != shapes[0].size())) return false;
    shapes.push_back(std::move(*shape));
  }
  bool learnt = fixRank(typer, merged, shapes[0].size(), at);
  const auto now = resolvedShape(typer, merged);
  for (std::size_t axis = 0; now && axis < std::min(now->size(), shapes[0].size()); ++axis) {
    const ShapePart &first = shapes[0][axis], &part = (*now)[axis];
    const auto agrees = [&](const Shape& shape) { return shape[axis].dim == first.dim; };
    if (!std::all_of(shapes.begin(), shapes.end(), agrees) || part.dim == first.dim) continue;
    learnt = true;
    // Unifies types rather than sizes, because the parts of types record their origins.
    const ElemTerm any = ElemTerm::of(Elem::i32);
    typer.unify(typer.tensor(any, {part}, at), typer.tensor(any, {first}, at), at, "the branches");
  }
  return learnt;
}

bool inferStateSize(GraphTyper& typer, Dim start, Dim state, Dim next, Span at) {
  start = typer.solution().resolve(start);
  state = typer.solution().resolve(state);
  next = typer.solution().resolve(next);
  // Equates only an open size of the state: if the body forces a number, the start may be another one.
  if (state == start || (next != state && next != start) || !typer.solution().dims.asVariable(state)) return false;
  return typer.equate(state, start, at, "the loop");
}

bool inferStateShape(GraphTyper& typer, TypedId start, TypedId state, TypedId next, Span at) {
  const auto before = resolvedShape(typer, start), after = resolvedShape(typer, next);
  if (!state || !before || !after || before->size() != after->size()) return false;
  bool learnt = fixRank(typer, state, before->size(), at);
  const auto during = resolvedShape(typer, state);
  for (std::size_t i = 0; during && i < std::min(during->size(), before->size()); ++i)
    learnt |= inferStateSize(typer, (*before)[i].dim, (*during)[i].dim, (*after)[i].dim, at);
  return learnt;
}

bool inferExitSize(GraphTyper& typer, Dim start, Dim state, Dim exit, Span at) {
  Solution& solution = typer.solution();
  state = solution.resolve(state);
  exit = solution.resolve(exit);
  if (exit == state || !solution.dims.asVariable(exit)) return false;
  if (state != solution.resolve(start) && solution.dims.asVariable(state)) return false;
  return typer.equate(exit, state, at, "the loop");
}

bool inferExitShape(GraphTyper& typer, TypedId start, TypedId state, TypedId exit, Span at) {
  const auto before = resolvedShape(typer, start), during = resolvedShape(typer, state);
  const auto after = resolvedShape(typer, exit);
  if (!during || !after || during->size() != after->size()) return false;
  const Shape& from = before && before->size() == during->size() ? *before : *after;
  bool learnt = false;
  for (std::size_t i = 0; i < after->size(); ++i)
    learnt |= inferExitSize(typer, from[i].dim, (*during)[i].dim, (*after)[i].dim, at);
  return learnt;
}

}  // namespace axle
