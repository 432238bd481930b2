// The vector kernels of pointwise operators that have one.
#pragma once

#include "runtime/vector/pointwise.h"

namespace axle::runtime {

// For operators with a member `vector`. Null: the plain one runs.
template <class Op>
RowKernel vectorKernel(Elem result) {
  if constexpr (requires { Op::vector(); })
    return result == Elem::f32 ? Op::vector() : nullptr;
  else
    return nullptr;
}

}  // namespace axle::runtime
