// Pointwise operators on rows of f32 (kernels/pointwise.h).
#pragma once

#include "runtime/kernels/pointwise.h"
#include "runtime/vector/kernel_sets.h"

namespace axle::runtime {

// Null where an instruction set has none: then the plain kernel of the operator runs. Those of one rounding give the
// same bits as the plain ones, and so does hardSwish, step by step. exp, tanh, sigmoid and pow are within 4 units in
// the last place; results of exp and sigmoid below 2^-126 may be 0. Gate is tanh(a) * sigmoid(b) within 8, of
// operands that advance. Each is a
// table of its own, so that a program carries those of its operators.
AXLE_KERNEL_SETS(RowKernel, vectorNeg)
AXLE_KERNEL_SETS(RowKernel, vectorAbs)
AXLE_KERNEL_SETS(RowKernel, vectorRelu)
AXLE_KERNEL_SETS(RowKernel, vectorSqrt)
AXLE_KERNEL_SETS(RowKernel, vectorRsqrt)
AXLE_KERNEL_SETS(RowKernel, vectorExp)
AXLE_KERNEL_SETS(RowKernel, vectorTanh)
AXLE_KERNEL_SETS(RowKernel, vectorSigmoid)
AXLE_KERNEL_SETS(RowKernel, vectorGate)
AXLE_KERNEL_SETS(RowKernel, vectorHardSwish)
AXLE_KERNEL_SETS(RowKernel, vectorAdd)
AXLE_KERNEL_SETS(RowKernel, vectorSub)
AXLE_KERNEL_SETS(RowKernel, vectorMul)
AXLE_KERNEL_SETS(RowKernel, vectorDiv)
AXLE_KERNEL_SETS(RowKernel, vectorPow)
AXLE_KERNEL_SETS(RowKernel, vectorMaximum)
AXLE_KERNEL_SETS(RowKernel, vectorMinimum)

}  // namespace axle::runtime
