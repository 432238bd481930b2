// The operand of a kernel of matrix products (product.h).
#pragma once

#include <cstdint>
#include <limits>

namespace axle::runtime {

// The right factor is stored in panels of this many columns, row by row: [panels, k, panelWidth], the last one filled
// up with zeros. The width is the same on all machines.
inline constexpr std::int64_t panelWidth = 16;
constexpr std::int64_t panelsOf(std::int64_t columns) { return (columns + panelWidth - 1) / panelWidth; }

// A right factor of so few columns may be stored column by column instead, [narrowColumns, narrowPitch(k)], with zeros
// in missing columns and before the last k % panelWidth elements.
inline constexpr std::int64_t narrowColumns = 4;
constexpr bool isNarrow(std::int64_t columns, std::int64_t k) {
  return columns > 0 && columns <= narrowColumns && k >= panelWidth;
}
constexpr std::int64_t narrowPitch(std::int64_t k) { return panelsOf(k) * panelWidth; }

// The operations on sums before they are stored: x*scale + bias + residual, limited to [low, high]. A null pointer
// omits its operation.
struct ProductEpilogue {
  const float* scale = nullptr;     // per column
  const float* bias = nullptr;      // per column
  const float* residual = nullptr;  // per element of the result
  std::int64_t residualPitch = 0;
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
};

// One or more blocks, one below the other, each with as many rows and panels as the kernel has. The left factor's rows
// are in `taps` >= 1 pieces of `depth` elements; k = taps * depth. Several blocks share a call because each call stores
// registers and arguments, and these stores would wait for those of the results.
struct ProductBlock {
  const float* const* rows = nullptr;  // [blocks, taps, rows of the kernel]
  std::int64_t blocks = 1;
  std::int64_t taps = 0, depth = 0;
  const float* right = nullptr;          // the block's first element of the right factor
  std::int64_t rightPitch = panelWidth;  // elements from one row of it to the next
  std::int64_t panelPitch = 0;           // elements from one panel to the next
  const float* fetched = nullptr;        // the elements to fetch into the cache for later use
  std::int64_t fetchPitch = 0;           // elements to fetch for each row of the right factor
  float* out = nullptr;
  std::int64_t outPitch = 0;
  std::int64_t columns = 0;  // stored, at most those of the panels
  ProductEpilogue epilogue;  // at the block's first result
};

using ProductKernel = void (*)(const ProductBlock&);

}  // namespace axle::runtime
