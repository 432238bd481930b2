// Blocks of depthwise convolutions, which compute each channel separately.
#pragma once

#include "runtime/vector/product.h"

namespace axle::runtime {

// A block of the result: as many pixels as the kernel has, by `channels` channels.
struct DepthwiseBlock {
  // Pointers to the channels under each tap: [taps, pixels of the kernel], or, for a kernel of windows with three
  // columns, [taps / 3, columns under all windows of neighbouring pixels].
  const float* const* rows = nullptr;
  std::int64_t rowOffset = 0;     // added to each pointer, in elements: neighbouring blocks can share pointers
  const float* filter = nullptr;  // [taps, filterPitch]
  std::int64_t taps = 0, channels = 0, filterPitch = 0;
  std::int64_t firstChannel = 0;  // in rows and filter
  float* out = nullptr;
  std::int64_t outPitch = 0;
  ProductEpilogue epilogue;  // at the block's first result
};

using DepthwiseKernel = void (*)(const DepthwiseBlock&);

struct DepthwiseKernels {
  const DepthwiseKernel* kernels;     // for 1 to `pixels` pixels, or for 1 and for `pixels`
  const DepthwiseKernel* ofThree[2];  // the same for windows with three columns, with stride 1 and 2; may be null
  std::int64_t pixels;
  bool hasAll = true;           // kernels for each number of pixels
  std::int64_t multiplier = 1;  // results of each channel

  DepthwiseKernel kernelOf(const DepthwiseKernel* table, std::int64_t count) const {
    return table[hasAll ? count - 1 : count == 1 ? 0 : 1];
  }
};

inline constexpr std::int64_t maxDepthwisePixels = 8;

AXLE_KERNEL_SETS(DepthwiseKernels, depthwise)

}  // namespace axle::runtime
