// The kernels of products, and of convolutions that are depthwise or in groups, for NEON, in a separate file because of
// their compiler flags.
#if defined(__ARM_NEON)
#include "runtime/vector/depthwise_kernels.h"
#include "runtime/vector/groups_kernels.h"
#include "runtime/vector/product_narrow.h"
#if defined(__aarch64__)
#include "runtime/vector/product_lanes.h"
#endif

namespace axle::runtime::neon {

namespace {
#if defined(__aarch64__)
using V = xsimd::batch<float, xsimd::neon64>;
constexpr ProductShape shapes[] = {productShape<V, 1, 5>()};
constexpr int narrowRows = 4, depthwisePixels = 5, groupPixels = 7, groupRegisters = 28;
constexpr std::int64_t depthOfPiece = 256;
#else
using V = xsimd::batch<float, xsimd::neon>;
constexpr ProductShape shapes[] = {productShape<V, 1, 2>()};
constexpr int narrowRows = 2, depthwisePixels = 4, groupPixels = 4, groupRegisters = 14;
constexpr std::int64_t depthOfPiece = 128;
#endif
}  // namespace
const ProductKernels products{shapes, std::size(shapes), packPanelsOf<V>, ProductSteps<V>::length > 1, depthOfPiece};
const NarrowProductKernels narrowProducts{narrowShape<V, narrowRows>(), packColumnsOf<V>};
const DepthwiseKernels depthwise = depthwiseKernels<V, depthwisePixels>();
const GroupKernels groups = groupKernels<V, groupPixels, groupRegisters>();

}  // namespace axle::runtime::neon
#endif
