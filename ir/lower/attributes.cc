#include "ir/lower/application.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/ragged.h"

namespace axle::ir::lowering {

StaticId attributeAt(Context& c, const Application& a, std::size_t index) {
  return c.solution.resolve(a.apply->attributes[index], a.environment.substitution);
}

std::optional<std::size_t> requireAttribute(Context& c, const Application& a, std::string_view name) {
  std::optional<std::size_t> index = c.operators.attribute(a.apply->op, name);
  if (index && *index < a.apply->attributes.size()) return index;
  return reportBug(c, "it lacks `" + std::string(name) + "`", a.span());
}

std::optional<Dim> dimAttribute(Context& c, const Application& a, std::string_view name) {
  std::optional<std::size_t> index = requireAttribute(c, a, name);
  if (!index) return std::nullopt;
  const StaticTerm& term = c.solution.types[attributeAt(c, a, *index)];
  if (term.kind == StaticKind::dim) return term.dim;
  return reportBug(c, "`" + std::string(name) + "` is no number", a.span());
}

std::optional<std::vector<Dim>> dimListAttribute(Context& c, const Application& a, std::string_view name,
                                                 std::size_t count) {
  std::optional<std::size_t> index = requireAttribute(c, a, name);
  if (!index) return std::nullopt;
  const StaticTerm& term = c.solution.types[attributeAt(c, a, *index)];
  std::vector<Dim> dims;
  for (StaticId item : term.items)
    if (c.solution.types[item].kind == StaticKind::dim) dims.push_back(c.solution.types[item].dim);
  if (term.kind == StaticKind::list && dims.size() == count && term.items.size() == count) return dims;
  return reportBug(c, "`" + std::string(name) + "` is not a list of " + std::to_string(count) + " numbers", a.span());
}

std::vector<Dim> pairsAttribute(Context& c, const StaticTerm& list) {
  std::vector<Dim> dims;
  for (StaticId pair : list.items)
    for (StaticId item : c.solution.types[pair].items)
      if (c.solution.types[item].kind == StaticKind::dim) dims.push_back(c.solution.types[item].dim);
  return dims;
}

bool boolAttribute(Context& c, const Application& a, std::string_view name) {
  std::optional<std::size_t> index = c.operators.attribute(a.apply->op, name);
  return index && *index < a.apply->attributes.size() && c.solution.types[attributeAt(c, a, *index)].boolean;
}

std::string wordAttribute(Context& c, const Application& a, std::string_view name) {
  std::optional<std::size_t> index = c.operators.attribute(a.apply->op, name);
  if (!index || *index >= a.apply->attributes.size()) return {};
  return c.solution.types[attributeAt(c, a, *index)].text;
}

std::optional<std::size_t> axisAttribute(Context& c, const Application& a, std::size_t rank) {
  std::optional<Dim> axis = dimAttribute(c, a, "axis");
  if (!axis) return std::nullopt;
  std::optional<std::int64_t> number = c.dims().asConstant(*axis);
  if (number && *number < 0) *number += static_cast<std::int64_t>(rank);
  if (number && *number >= 0 && *number < static_cast<std::int64_t>(rank)) return static_cast<std::size_t>(*number);
  return reportBug(c, "its axis is out of range", a.span());
}

std::optional<std::size_t> flatAxis(Context& c, const Application& a, const Tensor& first) {
  auto ragged = raggedDimension(c, argumentType(c, a, 0));
  if (!ragged) return axisAttribute(c, a, fact(c, first).shape.size());
  auto axis = axisAttribute(c, a, c.type(argumentType(c, a, 0)).shape.size());
  if (axis && *axis <= ragged->axis) return reportBug(c, "its axis is not behind the ragged one", a.span());
  return axis ? std::optional(*axis - ragged->axis) : std::nullopt;
}

}  // namespace axle::ir::lowering
