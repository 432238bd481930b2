// The kernels for AVX-512.
#if defined(__x86_64__)
#include "runtime/vector/depthwise_kernels.h"
#include "runtime/vector/groups_kernels.h"
#include "runtime/vector/half_kernels.h"
#include "runtime/vector/pointwise_kernels.h"
#include "runtime/vector/product_narrow.h"
#include "runtime/vector/reduction_kernels.h"
#include "runtime/vector/resize_kernels.h"
#include "runtime/vector/winograd_kernels.h"

namespace axle::runtime::avx512 {

namespace {
using V = xsimd::batch<float, xsimd::avx512bw>;
// Larger blocks are slower: their results fill the queue of stores.
constexpr ProductShape shapes[] = {productShape<V, 4, 4>(), productShape<V, 3, 5>(), productShape<V, 2, 9>(),
                                   productShape<V, 1, 11>()};
}  // namespace
const ProductKernels products{shapes, std::size(shapes), packPanelsOf<V>};
const NarrowProductKernels narrowProducts{narrowShape<V, 4>(), packColumnsOf<V>};
const DepthwiseKernels depthwise = depthwiseKernels<V, 7>();
const GroupKernels groups = groupKernels<V, 7, 28>();
AXLE_DEFINE_WINOGRAD(V)
AXLE_DEFINE_POINTWISE(V)
AXLE_DEFINE_REDUCTIONS(V)
AXLE_DEFINE_HALVES(V)
const MixLine mixLine = mixLineOf<V>;

}  // namespace axle::runtime::avx512
#endif
