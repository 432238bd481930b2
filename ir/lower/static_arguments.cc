// Static attributes of an application, read for one instance.
#include "ir/codes.h"
#include "ir/lower/lowerer.h"

namespace axle::ir {

StaticId Lowerer::attribute(const Application& a, std::size_t index) {
  return solution_.resolve(a.apply->attributes[index], a.with);
}

std::optional<std::size_t> Lowerer::attributeNamed(const Application& a, std::string_view name) {
  std::optional<std::size_t> index = operators_.attribute(a.apply->op, name);
  if (index && *index < a.apply->attributes.size()) return index;
  return unexpected("it lacks `" + std::string(name) + "`", a.expr->span);
}

std::optional<Dim> Lowerer::dimAttribute(const Application& a, std::string_view name) {
  std::optional<std::size_t> index = attributeNamed(a, name);
  if (!index) return std::nullopt;
  const StaticTerm& term = solution_.types[attribute(a, *index)];
  if (term.kind == StaticKind::dim) return term.dim;
  return unexpected("`" + std::string(name) + "` is no number", a.expr->span);
}

std::optional<std::vector<Dim>> Lowerer::dimList(const Application& a, std::string_view name, std::size_t count) {
  std::optional<std::size_t> index = attributeNamed(a, name);
  if (!index) return std::nullopt;
  const StaticTerm& term = solution_.types[attribute(a, *index)];
  std::vector<Dim> dims;
  for (StaticId item : term.items)
    if (solution_.types[item].kind == StaticKind::dim) dims.push_back(solution_.types[item].dim);
  if (term.kind == StaticKind::list && dims.size() == count && term.items.size() == count) return dims;
  return unexpected("`" + std::string(name) + "` is no list of " + std::to_string(count) + " numbers", a.expr->span);
}

bool Lowerer::boolAttribute(const Application& a, std::string_view name) {
  std::optional<std::size_t> index = operators_.attribute(a.apply->op, name);
  return index && *index < a.apply->attributes.size() && solution_.types[attribute(a, *index)].boolean;
}

// Empty where the operator has no such attribute.
std::string Lowerer::wordAttribute(const Application& a, std::string_view name) {
  std::optional<std::size_t> index = operators_.attribute(a.apply->op, name);
  if (!index || *index >= a.apply->attributes.size()) return {};
  return solution_.types[attribute(a, *index)].text;
}

// Counted from the leading end.
std::optional<std::size_t> Lowerer::axisAttribute(const Application& a, std::size_t rank) {
  std::optional<Dim> axis = dimAttribute(a, "axis");
  if (!axis) return std::nullopt;
  std::optional<std::int64_t> number = model_.dims->asConstant(*axis);
  if (number && *number < 0) *number += static_cast<std::int64_t>(rank);
  if (number && *number >= 0 && *number < static_cast<std::int64_t>(rank)) return static_cast<std::size_t>(*number);
  return unexpected("its axis is no axis of the tensor", a.expr->span);
}

// Of the first argument as it flows: the axes up to a ragged one are one, of rows.
std::optional<std::size_t> Lowerer::flatAxis(const Application& a, const Tensor& first) {
  auto ragged = raggedShape(argumentType(a, 0));
  if (!ragged) return axisAttribute(a, fact(first).shape.size());
  auto axis = axisAttribute(a, solution_.types[argumentType(a, 0)].shape.size());
  if (axis && *axis <= ragged->axis) return unexpected("its axis is not behind the ragged one", a.expr->span);
  return axis ? std::optional(*axis - ragged->axis) : std::nullopt;
}

}  // namespace axle::ir
