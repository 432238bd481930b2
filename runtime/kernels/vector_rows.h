// Finds the vector kernels of pointwise operators.
#pragma once

#include "runtime/vector/pointwise.h"

namespace axle::runtime {

// Returns the kernel of an operator with a member `vector`; null if the plain one is to run.
template <class Op>
RowKernel vectorKernel(Elem result) {
  if constexpr (requires { Op::vector(); })
    return result == Elem::f32 ? Op::vector() : nullptr;
  else
    return nullptr;
}

}  // namespace axle::runtime
