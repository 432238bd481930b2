// The kernels for SSE2, which every x86-64 machine has.
#if defined(__x86_64__)
#include "runtime/vector/depthwise_kernels.h"
#include "runtime/vector/groups_kernels.h"
#include "runtime/vector/half_kernels.h"
#include "runtime/vector/pointwise_kernels.h"
#include "runtime/vector/product_narrow.h"
#include "runtime/vector/reduction_kernels.h"
#include "runtime/vector/resize_kernels.h"
#include "runtime/vector/winograd_kernels.h"

namespace axle::runtime::sse2 {

namespace {
using V = xsimd::batch<float, xsimd::sse2>;
constexpr ProductShape shapes[] = {productShape<V, 1, 3>()};
}  // namespace
const ProductKernels products{shapes, std::size(shapes), packPanelsOf<V>};
const NarrowProductKernels narrowProducts{narrowShape<V, 2>(), packColumnsOf<V>};
const DepthwiseKernels depthwise = depthwiseKernels<V, 4>();
const GroupKernels groups = groupKernels<V, 4, 14>();
AXLE_DEFINE_WINOGRAD(V)
AXLE_DEFINE_POINTWISE(V)
AXLE_DEFINE_REDUCTIONS(V)
AXLE_DEFINE_HALVES(V)
const MixLine mixLine = mixLineOf<V>;

}  // namespace axle::runtime::sse2
#endif
