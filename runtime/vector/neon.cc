// The kernels for NEON, on 64-bit ARM and on 32-bit ARM with VFPv4, except those of neon_blocks.cc.
#if defined(__ARM_NEON)
#include "runtime/vector/half_kernels.h"
#include "runtime/vector/pointwise_kernels.h"
#include "runtime/vector/reduction_kernels.h"
#include "runtime/vector/resize_kernels.h"
#include "runtime/vector/winograd_kernels.h"

namespace axle::runtime::neon {

namespace {
#if defined(__aarch64__)
using V = xsimd::batch<float, xsimd::neon64>;
#else
using V = xsimd::batch<float, xsimd::neon>;
#endif
}  // namespace
AXLE_DEFINE_WINOGRAD(V)
AXLE_DEFINE_POINTWISE(V)
AXLE_DEFINE_REDUCTIONS(V)
AXLE_DEFINE_HALVES(V)
const MixLine mixLine = mixLineOf<V>;

}  // namespace axle::runtime::neon
#endif
