// The kernels of blocks of matrix products, the core of MATMUL and of convolutions (indirect: Dukhan, "The Indirect
// Convolution Algorithm").
#pragma once

#include "runtime/vector/kernel_sets.h"
#include "runtime/vector/product_block.h"

namespace axle::runtime {

inline constexpr std::int64_t maxProductRows = 16;
inline constexpr std::int64_t maxProductSums = 384;  // in one block

// Kernels for a number of panels, and for 1 to `rows` rows, at most maxProductRows.
struct ProductShape {
  std::int64_t panels = 0, rows = 0;
  const ProductKernel* kernels = nullptr;
};

using PackRight = void(const float* from, std::int64_t pitch, std::int64_t k, std::int64_t columns, float* to);

struct ProductKernels {
  const ProductShape* shapes;  // most panels first; the last one has 1 panel
  std::int64_t count;
  PackRight* pack;
  bool needPanels = false;          // rows of a right factor in place are slower than those of panels
  std::int64_t depthOfPiece = 128;  // of deep products: a piece of a block's panels stays in the first level of cache
};

// For one tap and a right factor stored column by column. Few programs have such products, so this is a table of its
// own.
struct NarrowProductKernels {
  ProductShape shape;
  PackRight* pack;
};

AXLE_KERNEL_SETS(ProductKernels, products)
AXLE_KERNEL_SETS(NarrowProductKernels, narrowProducts)

// Stores a right factor [k, columns], whose rows are `pitch` elements apart, in panels.
inline void packPanels(const float* from, std::int64_t pitch, std::int64_t k, std::int64_t columns, float* panels) {
  AXLE_KERNELS_IN_USE(products).pack(from, pitch, k, columns, panels);
}

// Stores a right factor [k, columns] of at most narrowColumns columns column by column.
inline void packColumns(const float* from, std::int64_t pitch, std::int64_t k, std::int64_t columns, float* to) {
  AXLE_KERNELS_IN_USE(narrowProducts).pack(from, pitch, k, columns, to);
}

}  // namespace axle::runtime
