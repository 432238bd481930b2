// Pointwise operators on rows of f32 (kernels/pointwise.h).
#pragma once

#include "runtime/kernels/pointwise.h"
#include "runtime/vector/kernel_sets.h"

namespace axle::runtime {

// Null where an instruction set has none: then the plain kernel of the operator runs. Those of one rounding give the
// same bits as the plain ones. exp, tanh and sigmoid are within 3 units in the last place; results of exp and sigmoid
// below 2^-126 may be 0.
struct PointwiseKernels {
  RowKernel neg = nullptr, abs = nullptr, relu = nullptr, sqrt = nullptr, rsqrt = nullptr;
  RowKernel exp = nullptr, tanh = nullptr, sigmoid = nullptr;
  RowKernel add = nullptr, sub = nullptr, mul = nullptr, div = nullptr, maximum = nullptr, minimum = nullptr;
};

AXLE_KERNEL_SETS(PointwiseKernels, pointwise)

}  // namespace axle::runtime
