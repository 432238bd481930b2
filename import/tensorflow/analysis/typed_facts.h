// Facts of outlets whose types are known, or partly known, and whose values are not.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "import/builder/graph_typer.h"
#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow {

// A tensor of this type and shape; without a value where the program has no such element type.
OutletFact opaqueFact(GraphTyper& typer, const std::string& name, Type type, Shape shape, Span at);
OutletFact scalarFact(GraphTyper& typer, const std::string& name, Type type, std::optional<Dim> value, Span at);
// A tensor whose type in the program is `is`.
OutletFact typedFact(GraphTyper& typer, const std::string& name, Type type, TypeId is, Span at);

// Sizes of -1 become unknown sizes of their own.
Shape declaredShape(GraphTyper& typer, const PartialShape& shape);

// The shape of a tensor whose rank is known, without the axis of a complex tensor's parts.
std::optional<Shape> resolvedShape(GraphTyper& typer, const OutletFact& fact);

// The value that stands for an outlet in the program: a list's elements, else the tensor.
inline TypedId programValue(const OutletFact& fact) { return fact.content ? fact.content : fact.value; }

// A known condition of one element; none where it is open.
std::optional<bool> isTrue(GraphTyper& typer, const OutletFact& condition);
std::optional<std::int64_t> knownNumber(GraphTyper& typer, const OutletFact& fact);

// Gives a list a content of its own; other facts stay as they are.
OutletFact withContent(GraphTyper& typer, OutletFact fact, const std::string& name, Span at);

}  // namespace axle::tensorflow
