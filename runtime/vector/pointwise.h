// Pointwise operators on rows of f32 (kernels/pointwise.h).
#pragma once

#include "runtime/kernels/pointwise.h"
#include "runtime/vector/kernel_sets.h"

namespace axle::runtime {

// A kernel is null if an instruction set has none; then the plain kernel of the operator runs. Operators with one
// rounding, and hardSwish, which rounds each step, give the same bits as the plain kernels, but of two zeros maximum
// and minimum may take either. exp, tanh, sigmoid and pow are within 4 units in the last place; results of exp and
// sigmoid below 2^-126 may be 0. Gate computes tanh(a) * sigmoid(b) within 8 units; both operands must advance. Each is
// a separate table, so that a program links only those of its operators.
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
