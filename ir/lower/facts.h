// Makes the facts of tensors from their types.
#pragma once

#include "ir/lower/context.h"

namespace axle::ir::lowering {

// Whether a size is arithmetic over the sizes of the inputs and run-time sizes computed before; fails otherwise.
bool checkSizeKnown(Context& c, Dim dim, Span span);

// Returns the shape in which a tensor is stored: all dimensions up to the last ragged one become one dimension, the
// rows.
std::optional<std::vector<Dim>> flatShape(Context& c, const Shape& shape, Span span);

// Fails: "a function may not be " + `where`.
void failFunctionAsValue(Context& c, const char* where, Span span);

std::optional<Fact> factOfType(Context& c, TypeId type, Span span);
// Appends a fact for each tensor of the type. Fails on functions, as above.
bool factsOf(Context& c, TypeId type, std::vector<Fact>& into, Span span, const char* where);

}  // namespace axle::ir::lowering
