// The plain kernels: one element at a time, in order.
#include "runtime/vector/depthwise_kernels.h"
#include "runtime/vector/groups_kernels.h"
#include "runtime/vector/half_kernels.h"
#include "runtime/vector/pointwise.h"
#include "runtime/vector/product_narrow.h"
#include "runtime/vector/reduction_kernels.h"
#include "runtime/vector/resize_kernels.h"
#include "runtime/vector/winograd_kernels.h"

namespace axle::runtime::plain {

namespace {
constexpr ProductShape shapes[] = {productShape<Lane<void>, 1, 1>()};
}
const ProductKernels products{shapes, 1, packPanelsOf<Lane<void>>};
const NarrowProductKernels narrowProducts{narrowShape<Lane<void>, 1>(), packColumnsOf<Lane<void>>};
const DepthwiseKernels depthwise = depthwiseKernels<Lane<void>, 1>();
const GroupKernels groups = groupKernels<Lane<void>, 1, 0>();
AXLE_DEFINE_WINOGRAD(Lane<void>)
const RowKernel vectorNeg = nullptr;
const RowKernel vectorAbs = nullptr;
const RowKernel vectorRelu = nullptr;
const RowKernel vectorSqrt = nullptr;
const RowKernel vectorRsqrt = nullptr;
const RowKernel vectorExp = nullptr;
const RowKernel vectorTanh = nullptr;
const RowKernel vectorSigmoid = nullptr;
const RowKernel vectorGate = nullptr;
const RowKernel vectorPow = nullptr;
const RowKernel vectorHardSwish = nullptr;
const RowKernel vectorAdd = nullptr;
const RowKernel vectorSub = nullptr;
const RowKernel vectorMul = nullptr;
const RowKernel vectorDiv = nullptr;
const RowKernel vectorMaximum = nullptr;
const RowKernel vectorMinimum = nullptr;
AXLE_DEFINE_REDUCTIONS(Lane<void>)
AXLE_DEFINE_HALVES(Lane<void>)
const MixLine mixLine = mixLineOf<Lane<void>>;

}  // namespace axle::runtime::plain
