// The kernels of product.h for one kind of batch. Only for the files of the instruction sets.
#pragma once

#include <array>
#include <utility>

#include "runtime/vector/epilogue.h"

namespace axle::runtime {

// Stores the first columns of sums whose rows are `pitch` apart.
template <class V>
void storeScalars(const float* sums, std::int64_t pitch, int rows, const ProductBlock& block) {
  ProductEpilogue epilogue = block.epilogue;
  for (int row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < block.columns; ++column) {
      Lane<V> sum[1][1] = {{Lane<V>(sums[row * pitch + column])}};
      storeSums(sum, epilogue, block.out + row * block.outPitch, 0, column);
    }
    if (epilogue.residual != nullptr) epilogue.residual += epilogue.residualPitch;
  }
}

// `rows` rows by `panels` panels, in registers.
template <class V, int rows, int panels>
struct ProductTile {
  static constexpr int lanes = static_cast<int>(V::size);
  static constexpr int perPanel = static_cast<int>(panelWidth) / lanes, columns = panels * perPanel;
  // Few sums would wait for each other: then several sets of them take turns over k.
  static constexpr int sets = rows * columns >= 8 ? 1 : rows * columns >= 4 ? 2 : 4;

  static void add(V (&sums)[rows][columns], const float* const* at, std::int64_t p, const float* right,
                  std::int64_t panelPitch) {
    V b[columns];
#pragma GCC unroll 32
    for (int j = 0; j < columns; ++j)
      b[j] = V::load_unaligned(right + (j / perPanel) * panelPitch + j % perPanel * std::ptrdiff_t{lanes});
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) {
      const V a(at[i][p]);
#pragma GCC unroll 32
      for (int j = 0; j < columns; ++j) sums[i][j] = fma(a, b[j], sums[i][j]);
    }
  }

  static void run(const ProductBlock& block) {
    V sums[sets][rows][columns];
#pragma GCC unroll 32
    for (int s = 0; s < sets; ++s)
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i)
#pragma GCC unroll 32
        for (int j = 0; j < columns; ++j) sums[s][i][j] = V(0.0f);
    const std::int64_t pitch = block.rightPitch, panelPitch = block.panelPitch, depth = block.depth;
    const float* right = block.right;
    for (std::int64_t tap = 0; tap < block.taps; ++tap) {
      const float* at[rows];
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i) at[i] = block.rows[tap * rows + i];
      std::int64_t p = 0;
      if constexpr (sets > 1)
        for (; p + sets <= depth; p += sets, right += sets * pitch)
#pragma GCC unroll 4
          for (int s = 0; s < sets; ++s) add(sums[s], at, p + s, right + s * pitch, panelPitch);
      for (; p < depth; ++p, right += pitch) add(sums[0], at, p, right, panelPitch);
    }
#pragma GCC unroll 32
    for (int s = 1; s < sets; ++s)
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i)
#pragma GCC unroll 32
        for (int j = 0; j < columns; ++j) sums[0][i][j] = sums[0][i][j] + sums[s][i][j];
    if (block.columns == panels * panelWidth)
      storeSums(sums[0], block.epilogue, block.out, block.outPitch, 0);
    else
      storeSome(sums[0], block);
  }

  // The last columns, fewer than the panels have.
  static void storeSome(V (&sums)[rows][columns], const ProductBlock& block) {
    float kept[rows][panels * panelWidth];
    storeSums(sums, {}, kept[0], panels * panelWidth, 0);
    storeScalars<V>(kept[0], panels * panelWidth, rows, block);
  }
};

template <class V, int panels, class Rows>
struct ProductTable;
template <class V, int panels, int... row>
struct ProductTable<V, panels, std::integer_sequence<int, row...>> {
  static constexpr ProductKernel kernels[] = {&ProductTile<V, row + 1, panels>::run...};
};

// Kernels of 1 to `rows` rows.
template <class V, int panels, int rows>
constexpr ProductShape productShape() {
  static_assert(rows <= maxProductRows && panelWidth * rows * panels <= maxProductSums);
  return {panels, rows, ProductTable<V, panels, std::make_integer_sequence<int, rows>>::kernels};
}

}  // namespace axle::runtime
