// The plain kernels: one element at a time, in order.
#include "runtime/vector/depthwise_kernels.h"
#include "runtime/vector/product_kernels.h"

namespace axle::runtime::plain {

namespace {
constexpr ProductShape shapes[] = {productShape<Scalar, 1, 1>()};
}
const ProductKernels products{shapes, 1};
const DepthwiseKernels depthwise = depthwiseKernels<Scalar, 1>();

}  // namespace axle::runtime::plain
