// Applications of core operators to element types that they do not take. They are typed, but compute nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/builder/graph_typer.h"

namespace axle {

// An opaque value with the shape of `value` and this element.
TypedId opaqueWithElement(GraphTyper& typer, TypedId value, ElemTerm elem, const std::string& name, Span at);

// Replaces arguments whose elements `op` does not take (integers, where it takes floats only) by opaque values of
// elements that it takes. Arguments that share an element variable in the signature get the same element. A float for
// an operator on integers stays, so that the operator reports its error, unless `isTypeOnly` says that only the type is
// wanted. Returns whether it replaced an argument.
bool fitElements(GraphTyper& typer, std::string_view op, std::vector<TypedId>& arguments, bool isTypeOnly,
                 const std::string& name, Span at);

}  // namespace axle
