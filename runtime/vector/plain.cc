// The plain kernels: one element at a time, in order.
#include "runtime/vector/depthwise_kernels.h"
#include "runtime/vector/pointwise.h"
#include "runtime/vector/product_kernels.h"
#include "runtime/vector/reduction_kernels.h"

namespace axle::runtime::plain {

namespace {
constexpr ProductShape shapes[] = {productShape<Scalar, 1, 1>()};
}
const ProductKernels products{shapes, 1};
const DepthwiseKernels depthwise = depthwiseKernels<Scalar, 1>();
const PointwiseKernels pointwise{};
const ReductionKernels reductions = reductionKernels<Scalar>();

}  // namespace axle::runtime::plain
