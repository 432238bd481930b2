#include "import/builder/tensor_list.h"

namespace axle {

TypeId stackedType(GraphTyper& typer, TypeId element, Dim length, Span at) {
  const TypeTerm term = typer.solution().types[typer.solution().resolve(element)];
  Shape shape{ShapePart::of(length)};
  shape.insert(shape.end(), term.shape.begin(), term.shape.end());
  return typer.tensor(term.elem, std::move(shape), at);
}

bool isShort(GraphTyper& typer, const ListFact& list) {
  const auto count = typer.solution().dims.asConstant(typer.solution().resolve(list.length));
  return list.isShort || (count && *count <= 1);
}

std::shared_ptr<const ListFact> withOpenLength(GraphTyper& typer, const ListFact& list) {
  return std::make_shared<const ListFact>(
      ListFact{list.element, typer.unknownSize("k"), list.grows, isShort(typer, list)});
}

}  // namespace axle
