// Types applications of core operators to element types that they do not accept. These have types, but are not
// computed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/builder/graph_typer.h"

namespace axle {

// Returns the element type of a tensor; none while it is open.
std::optional<Elem> elementOfValue(GraphTyper& typer, TypedId value);

// Returns an opaque value with the shape of `value` and the element type `elem`.
TypedId opaqueWithElement(GraphTyper& typer, TypedId value, ElemTerm elem, const std::string& name, Span at);

// Replaces each argument whose element type `op` does not accept (such as integers for an operator on floats) with an
// opaque value of an accepted type. Arguments that share an element variable in the signature get the same type. A
// float for an operator on integers stays, so that the operator reports its error, unless `isTypeOnly` is set: then
// only the type of the result is wanted. Returns whether it replaced an argument.
bool fitElements(GraphTyper& typer, std::string_view op, std::vector<TypedId>& arguments, bool isTypeOnly,
                 const std::string& name, Span at);

}  // namespace axle
