// The vector kernels of pointwise operators that have one.
#pragma once

#include "runtime/vector/pointwise.h"

namespace axle::runtime {

// For operators with a member `vector`, which names a kernel of the table. Null: the plain one runs.
template <class Op>
RowKernel vectorKernel(Elem result) {
  if constexpr (requires { Op::vector; })
    return result == Elem::f32 ? AXLE_KERNELS_IN_USE(pointwise).*Op::vector : nullptr;
  else
    return nullptr;
}

}  // namespace axle::runtime
