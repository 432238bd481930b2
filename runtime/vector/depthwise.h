// Blocks of depthwise convolutions: each channel by itself.
#pragma once

#include "runtime/vector/product.h"

namespace axle::runtime {

// Pixels of the result, as many as the kernel has, by `channels` channels.
struct DepthwiseBlock {
  // [taps, pixels of the kernel]: the channels under each tap; of a kernel of windows with three columns
  // [taps / 3, columns under all windows of neighbouring pixels]
  const float* const* rows = nullptr;
  std::int64_t rowOffset = 0;     // elements from there on: neighbouring blocks can have the same pointers
  const float* filter = nullptr;  // [taps, filterPitch]
  std::int64_t taps = 0, channels = 0, filterPitch = 0;
  std::int64_t firstChannel = 0;  // of rows and filter
  float* out = nullptr;
  std::int64_t outPitch = 0;
  ProductEpilogue epilogue;  // at the block's first result
};

using DepthwiseKernel = void (*)(const DepthwiseBlock&);

struct DepthwiseKernels {
  const DepthwiseKernel* kernels;     // of 1 pixel to `pixels`
  const DepthwiseKernel* ofThree[2];  // the same where windows have three columns, with stride 1 and 2
  std::int64_t pixels;
};

inline constexpr std::int64_t maxDepthwisePixels = 8;

AXLE_KERNEL_SETS(DepthwiseKernels, depthwise)

}  // namespace axle::runtime
