// Products of few columns, whose right factor is stored column by column: vectors run along k, so that none has unused
// lanes. Only for the files of the instruction sets.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/vector/product_kernels.h"

namespace axle::runtime {

// Adds the units of `unit` elements at even positions of two vectors to those at odd positions. Positions of single
// elements are counted within each 16 bytes, where most instruction sets move them.
template <class V, int unit, int... i>
[[gnu::always_inline]] inline V addUnits(V a, V b, std::integer_sequence<int, i...>) {
  constexpr int lanes = sizeof...(i);
  constexpr auto from = [](int at) {
    if (unit == 4) return at / 4 * 8 + at % 4;
    return at / 4 * 4 + at % 2 * 2 + (at % 4 < 2 ? 0 : lanes);
  };
  return V(__builtin_shufflevector(a.data, b.data, from(i)...)) +
         V(__builtin_shufflevector(a.data, b.data, from(i) + unit...));
}

// Returns the sum of each of V::size vectors. xsimd's haddp has them in another order for AVX-512.
template <class V>
[[gnu::always_inline]] inline V sumsOfVectors(V* vectors) {
  constexpr int lanes = static_cast<int>(V::size);
  if constexpr (lanes > 1) {
    constexpr std::make_integer_sequence<int, lanes> all;
#pragma GCC unroll mostRegisters
    for (std::ptrdiff_t i = 0; i < lanes / 2; ++i) vectors[i] = addUnits<V, 1>(vectors[2 * i], vectors[2 * i + 1], all);
#pragma GCC unroll mostRegisters
    for (std::ptrdiff_t i = 0; i < lanes / 4; ++i) vectors[i] = addUnits<V, 1>(vectors[2 * i], vectors[2 * i + 1], all);
#pragma GCC unroll 2
    for (int left = lanes / 8; left > 0; left /= 2)
#pragma GCC unroll mostRegisters
      for (std::ptrdiff_t i = 0; i < left; ++i) vectors[i] = addUnits<V, 4>(vectors[2 * i], vectors[2 * i + 1], all);
  }
  return *vectors;
}

inline constexpr auto zerosAndOnes = [] {
  std::array<float, 2 * panelWidth> made{};
  std::fill(made.begin() + panelWidth, made.end(), 1.0f);
  return made;
}();

// Computes `rows` rows by narrowColumns columns in registers. The sums of `mostRows` rows, the most of all such tiles,
// fill whole vectors.
template <class V, int rows, int mostRows>
struct NarrowTile {
  static constexpr int lanes = static_cast<int>(V::size), columns = static_cast<int>(narrowColumns),
                       sums = mostRows * columns, vectors = sums / lanes;
  static_assert(sums % lanes == 0 && lanes <= panelWidth);

  static void run(const ProductBlock& block) {
    // The operands and results of a block, row by row as in its vectors.
    float scale[sums], bias[sums], results[sums];
    ProductEpilogue epilogue = block.epilogue;
    epilogue.scale = repeat(scale, epilogue.scale, block.columns);
    epilogue.bias = repeat(bias, epilogue.bias, block.columns);
    if (epilogue.residual != nullptr) epilogue.residual = results;
    const float* const* table = block.rows;
    float* out = block.out;
    for (std::int64_t left = block.blocks; left > 0; --left, table += rows, out += rows * block.outPitch) {
      V result[1][vectors];
      startSums(result, epilogue, 0);
      add(result[0], block, table);
      if (epilogue.residual != nullptr) copyResidual<V>(block, out, rows, columns, results);
      storeSums(result, epilogue, results, 0, 0);
      if (block.columns == columns)
#pragma GCC unroll mostRegisters
        for (int i = 0; i < rows; ++i)
          __builtin_memcpy(out + i * block.outPitch, results + i * columns, sizeof(float) * columns);
      else
        storeColumns<V>(out, block.outPitch, results, rows, columns, block.columns);
    }
  }

 private:
  // Copies an operand for each row. Returns `to`, or null if `from` is null.
  static const float* repeat(float* to, const float* from, std::int64_t count) {
    if (from == nullptr) return nullptr;
    copyColumns<V>(to, from, mostRows, 0, columns, count);
    return to;
  }

  [[gnu::always_inline]] static void add(V (&result)[vectors], const ProductBlock& block, const float* const* table) {
    V partial[mostRows * columns];
#pragma GCC unroll mostRegisters
    for (V& sum : partial) sum = V(0.0f);
    const std::int64_t depth = block.depth, pitch = block.rightPitch, whole = depth / panelWidth * panelWidth;
    const float* right = block.right;
    for (std::int64_t p = 0; p < whole; p += lanes, right += lanes)
      addVectors(partial, table, right, p, pitch, [](V x) { return x; });
    if (whole < depth)
      // The last panelWidth elements of the left factor, of which the first ones have been added.
      for (std::int64_t p = depth - panelWidth, i = 0; i < panelWidth; i += lanes, p += lanes, right += lanes) {
        const auto isNew = V::load_unaligned(zerosAndOnes.data() + (depth - whole) + i) > V(0.0f);
        addVectors(partial, table, right, p, pitch, [&](V x) { return select(isNew, x, V(0.0f)); });
      }
#pragma GCC unroll mostRegisters
    for (int i = 0; i < vectors; ++i) result[i] = result[i] + sumsOfVectors(partial + i * lanes);
  }

  template <class Choose>
  [[gnu::always_inline]] static void addVectors(V* partial, const float* const* table, const float* right,
                                                std::int64_t p, std::int64_t pitch, Choose choose) {
    V b[columns];
#pragma GCC unroll mostRegisters
    for (int j = 0; j < columns; ++j) b[j] = loadInRegister<true, V>(right + j * pitch);
#pragma GCC unroll mostRegisters
    for (int i = 0; i < rows; ++i) {
      const V a = choose(loadInRegister<true, V>(table[i] + p));
#pragma GCC unroll mostRegisters
      for (int j = 0; j < columns; ++j) partial[i * columns + j] = fma(a, b[j], partial[i * columns + j]);
    }
  }
};

// packColumns of product.h.
template <class V>
void packColumnsOf(const float* from, std::int64_t pitch, std::int64_t k, std::int64_t columns, float* to) {
  const std::int64_t toPitch = narrowPitch(k), whole = k / panelWidth * panelWidth;
  __builtin_memset(to, 0, static_cast<std::size_t>(narrowColumns * toPitch) * sizeof(float));
  for (std::int64_t row = 0; row < k; ++row, from += pitch, ++to) {
    if (row == whole) to += toPitch - k;
    if (columns == narrowColumns)
#pragma GCC unroll 4
      for (std::int64_t column = 0; column < narrowColumns; ++column) to[column * toPitch] = from[column];
    else
      for (std::int64_t column = 0; column < columns; ++column) to[column * toPitch] = from[column];
  }
}

template <class V, class Rows>
struct NarrowTable;
template <class V, int... row>
struct NarrowTable<V, std::integer_sequence<int, row...>> {
  static constexpr ProductKernel kernels[] = {&NarrowTile<V, row + 1, sizeof...(row)>::run...};
};

// Returns the kernels for 1 to `rows` rows of few columns.
template <class V, int rows>
constexpr ProductShape narrowShape() {
  return {1, rows, NarrowTable<V, std::make_integer_sequence<int, rows>>::kernels};
}

}  // namespace axle::runtime
