#include "import/tensorflow/analysis/typed_facts.h"

#include <algorithm>

#include "import/builder/control_shapes.h"

namespace axle::tensorflow {

OutletFact opaqueFact(GraphTyper& typer, const std::string& name, Type type, Shape shape, Span at) {
  OutletFact fact;
  fact.type = type;
  if (elementOf(type)) fact.value = typer.opaque(name, tensorType(typer, type, std::move(shape), at), at);
  return fact;
}

OutletFact scalarFact(GraphTyper& typer, const std::string& name, Type type, std::optional<Dim> value, Span at) {
  OutletFact fact = opaqueFact(typer, name, type, {}, at);
  if (value) fact.known = Known::scalar(*value);
  return fact;
}

OutletFact typedFact(GraphTyper& typer, const std::string& name, Type type, TypeId is, Span at) {
  OutletFact fact;
  fact.type = type;
  fact.value = typer.opaque(name, is, at);
  return fact;
}

Shape declaredShape(GraphTyper& typer, const PartialShape& shape) {
  if (!shape.knownRank) return typer.unknownShape("s");
  std::vector<Dim> sizes;
  for (std::int64_t size : shape.sizes) sizes.push_back(size >= 0 ? typer.constant(size) : typer.unknownSize("d"));
  return typer.shape(sizes);
}

std::optional<Shape> resolvedShape(GraphTyper& typer, const OutletFact& fact) {
  auto shape = resolvedShape(typer, fact.value);
  if (shape && isComplex(fact.type) && !shape->empty()) shape->pop_back();
  return shape;
}

std::optional<std::int64_t> knownNumber(GraphTyper& typer, const OutletFact& fact) {
  if (!fact.known || fact.known->elements.size() != 1) return std::nullopt;
  return typer.solution().dims.asConstant(typer.solution().resolve(fact.known->elements[0]));
}

std::optional<bool> isTrue(GraphTyper& typer, const OutletFact& condition) {
  const auto number = knownNumber(typer, condition);
  return number ? std::optional(*number != 0) : std::nullopt;
}

OutletFact withContent(GraphTyper& typer, OutletFact fact, const std::string& name, Span at) {
  if (fact.list) fact.content = typer.opaque(name, stackedType(typer, fact.list->element, fact.list->length, at), at);
  return fact;
}

}  // namespace axle::tensorflow
