// The kernels of products for NEON, by themselves because of their flags.
#if defined(__ARM_NEON)
#include "runtime/vector/product_kernels.h"
#if defined(__aarch64__)
#include "runtime/vector/product_lanes.h"
#endif

namespace axle::runtime::neon {

namespace {
#if defined(__aarch64__)
constexpr ProductShape shapes[] = {productShape<xsimd::batch<float, xsimd::neon64>, 1, 5>()};
#else
constexpr ProductShape shapes[] = {productShape<xsimd::batch<float, xsimd::neon>, 1, 2>()};
#endif
}  // namespace
const ProductKernels products{shapes, std::size(shapes)};

}  // namespace axle::runtime::neon
#endif
