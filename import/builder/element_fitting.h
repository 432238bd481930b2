// Applications of core operators to element types that they do not take: such an application has a type, but no value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/builder/graph_typer.h"

namespace axle {

// A value of nothing, with the shape of `value` and the given element.
TypedId opaqueWithElement(GraphTyper& typer, TypedId value, ElemTerm elem, const std::string& name, Span at);

// Replaces the arguments whose elements `op` does not take (it has floats only, and they are integers) by opaque values
// of elements that it takes; arguments that share an element variable of the signature share an element. True where it
// replaced one. A float where only integers have a meaning is left to the operator's own error, unless `isTypeOnly`
// says that the application is asked for its type alone.
bool fitElements(GraphTyper& typer, std::string_view op, std::vector<TypedId>& arguments, bool isTypeOnly,
                 const std::string& name, Span at);

}  // namespace axle
