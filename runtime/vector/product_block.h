// What a kernel of matrix products (product.h) takes.
#pragma once

#include <cstdint>
#include <limits>

namespace axle::runtime {

// The right factor is stored in panels of this many columns, row by row: [panels, k, panelWidth], the last one filled
// up with zeros. The same for all machines.
inline constexpr std::int64_t panelWidth = 16;
constexpr std::int64_t panelsOf(std::int64_t columns) { return (columns + panelWidth - 1) / panelWidth; }

// What happens to sums before they are stored: x*scale + bias + residual, at least `low`, at most `high`; null: left
// out.
struct ProductEpilogue {
  const float* scale = nullptr;     // by column
  const float* bias = nullptr;      // by column
  const float* residual = nullptr;  // as the result
  std::int64_t residualPitch = 0;
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
};

// Blocks one below the other, each with as many rows and panels as the kernel has. The left factor's rows are in `taps`
// pieces of `depth` elements, k = taps * depth, at least one of them. One call for several blocks: the registers that
// it saves, and its arguments, are stores that would wait for those of the results.
struct ProductBlock {
  const float* const* rows = nullptr;  // [blocks, taps, rows of the kernel]
  std::int64_t blocks = 1;
  std::int64_t taps = 0, depth = 0;
  const float* right = nullptr;          // of the right factor the block's first element
  std::int64_t rightPitch = panelWidth;  // elements from one row of it to the next,
  std::int64_t panelPitch = 0;           // and from one panel to the next
  const float* fetched = nullptr;        // what will be needed is fetched into the cache from here on:
  std::int64_t fetchPitch = 0;           // so many elements for each row of the right factor
  float* out = nullptr;
  std::int64_t outPitch = 0;
  std::int64_t columns = 0;  // that are stored, at most those of the panels
  ProductEpilogue epilogue;  // at the block's first result
};

using ProductKernel = void (*)(const ProductBlock&);

}  // namespace axle::runtime
