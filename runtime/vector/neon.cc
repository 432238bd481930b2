// The kernels for NEON, of 64-bit ARM and of 32-bit ARM with VFPv4.
#if defined(__ARM_NEON)
#include "runtime/vector/depthwise_kernels.h"
#include "runtime/vector/pointwise_kernels.h"
#include "runtime/vector/product_kernels.h"
#include "runtime/vector/reduction_kernels.h"
#include "runtime/vector/winograd_kernels.h"

namespace axle::runtime::neon {

namespace {
#if defined(__aarch64__)
using V = xsimd::batch<float, xsimd::neon64>;
constexpr ProductShape shapes[] = {productShape<V, 1, 6>()};
#else
using V = xsimd::batch<float, xsimd::neon>;
constexpr ProductShape shapes[] = {productShape<V, 1, 2>()};
#endif
}  // namespace
const ProductKernels products{shapes, std::size(shapes)};
const DepthwiseKernels depthwise = depthwiseKernels<V, 4>();
const WinogradKernels winograd = winogradKernels<V>();
AXLE_DEFINE_POINTWISE(V)
AXLE_DEFINE_REDUCTIONS(V)

}  // namespace axle::runtime::neon
#endif
