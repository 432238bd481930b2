// Runs convolutions, channels last, by the kernels of vector/depthwise.h: of f32, and of f16 and bf16 in bands of
// pixels that are widened.
#pragma once

#include "runtime/kernels/windowed.h"
#include "runtime/parts.h"
#include "runtime/vector/depthwise.h"

namespace axle::runtime {

// `depth` of the geometry counts the channels of all groups.
Geometry depthwiseGeometry(const Step& step);

bool runDepthwise(Step& step, const DepthwiseKernels& kernels, Part part, Fault& fault);
std::uint64_t workspaceOfDepthwise(const Geometry& g);

bool runDepthwiseHalf(Step& step, const DepthwiseKernels& kernels, Part part, Fault& fault);
std::uint64_t workspaceOfDepthwiseHalf(const Step& step);

}  // namespace axle::runtime
