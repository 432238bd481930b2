// Pointwise operators on rows of f16 and bf16, computed by the kernels of f32.
#pragma once

#include "runtime/kernels/elements.h"
#include "runtime/kernels/pointwise.h"

namespace axle::runtime {

// The type in which an operator computes.
constexpr Elem computedIn(Elem elem) { return (onlyHalves & setOf(elem)) != 0 ? Elem::f32 : elem; }

// Returns the choice for an operator with `arity` operands of one element type, of which f16 and bf16 are widened and
// results of these types are rounded. `choice`: for f32 in their place.
RowChoice widenedRows(RowChoice choice, std::uint8_t arity, Elem operand, Elem result);

}  // namespace axle::runtime
