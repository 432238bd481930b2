// Facts of outlets whose types are known, at least in part, and whose values are not.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "import/builder/graph_typer.h"
#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow {

// Returns a tensor of this type and shape; without a value if the program has no such element type.
OutletFact opaqueFact(GraphTyper& typer, const std::string& name, Type type, Shape shape, Span at);
OutletFact scalarFact(GraphTyper& typer, const std::string& name, Type type, std::optional<Dim> value, Span at);
// Returns a tensor whose type in the program is `is`.
OutletFact typedFact(GraphTyper& typer, const std::string& name, Type type, TypeId is, Span at);

// Returns a declared shape, with a new unknown size for each -1.
Shape declaredShape(GraphTyper& typer, const PartialShape& shape);

// Returns the shape of a tensor of known rank, without the axis of a complex tensor's parts.
std::optional<Shape> resolvedShape(GraphTyper& typer, const OutletFact& fact);

// Returns the value of an outlet in the program: a list's elements, or the tensor.
inline TypedId programValue(const OutletFact& fact) { return fact.content ? fact.content : fact.value; }

// Returns the value of a condition of one element; none if it is open.
std::optional<bool> isTrue(GraphTyper& typer, const OutletFact& condition);
std::optional<std::int64_t> knownNumber(GraphTyper& typer, const OutletFact& fact);

// Gives a list a new content; other facts stay as they are.
OutletFact withContent(GraphTyper& typer, OutletFact fact, const std::string& name, Span at);

}  // namespace axle::tensorflow
