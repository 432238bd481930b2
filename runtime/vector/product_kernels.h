// The kernels of product.h for one kind of batch. Only for the files of the instruction sets.
#pragma once

#include <array>
#include <utility>

#include "runtime/vector/epilogue.h"

namespace axle::runtime {

// Multiplies several elements of the left factor's rows at once, for an instruction set with a faster way to do so:
// product_lanes.h.
template <class V>
struct ProductSteps {
  static constexpr int length = 1, independentSums = 8;
};

template <class V>
void copyColumnsOfRow(float* to, const float* from, std::int64_t count) {
  for (; count >= 4; count -= 4, to += 4, from += 4) __builtin_memcpy(to, from, 4 * sizeof(float));
  for (; count > 0; --count) *to++ = *from++;
}

// Copies the first columns of rows to rows of `width`, filled up with zeros. Returns `to`, or null if `from` is null.
template <class V>
[[gnu::noinline]] const float* copyColumns(float* to, const float* from, std::int64_t rows, std::int64_t pitch,
                                           std::int64_t width, std::int64_t columns) {
  if (from == nullptr) return nullptr;
  __builtin_memset(to, 0, static_cast<std::size_t>(rows * width) * sizeof(float));
  for (std::int64_t i = 0; i < rows; ++i) copyColumnsOfRow<V>(to + i * width, from + i * pitch, columns);
  return to;
}

// Copies the operands of an epilogue, except the residual, which copyResidual copies to the place of the results.
template <class V>
[[gnu::noinline]] void copyOperands(const ProductBlock& block, std::int64_t width, float* scale, float* bias,
                                    float* results, ProductEpilogue& epilogue) {
  epilogue = block.epilogue;
  epilogue.scale = copyColumns<V>(scale, epilogue.scale, 1, 0, width, block.columns);
  epilogue.bias = copyColumns<V>(bias, epilogue.bias, 1, 0, width, block.columns);
  if (epilogue.residual != nullptr) epilogue.residual = results;
  epilogue.residualPitch = width;
}

// Copies the residual of `rows` rows of results at `out`.
template <class V>
[[gnu::noinline]] void copyResidual(const ProductBlock& block, const float* out, std::int64_t rows, std::int64_t width,
                                    float* results) {
  const ProductEpilogue& from = block.epilogue;
  const float* residual = from.residual + (out - block.out) / block.outPitch * from.residualPitch;
  copyColumns<V>(results, residual, rows, from.residualPitch, width, block.columns);
}

template <class V>
[[gnu::noinline]] void storeColumns(float* to, std::int64_t pitch, const float* from, std::int64_t rows,
                                    std::int64_t width, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) copyColumnsOfRow<V>(to + i * pitch, from + i * width, columns);
}

// Copies rows of `panels` whole panels.
template <class V, int panels>
void packWholePanels(const float* from, std::int64_t pitch, std::int64_t k, float* to) {
  for (std::int64_t row = 0; row < k; ++row, from += pitch, to += panelWidth)
#pragma GCC unroll 4
    for (int panel = 0; panel < panels; ++panel)
#pragma GCC unroll 16
      for (int i = 0; i < panelWidth; i += static_cast<int>(V::size))
        V::load_unaligned(from + panel * panelWidth + i).store_unaligned(to + panel * k * panelWidth + i);
}

// packPanels of product.h. Copies several panels at once, so that fewer pages are read in turn.
template <class V>
void packPanelsOf(const float* from, std::int64_t pitch, std::int64_t k, std::int64_t columns, float* panels) {
  constexpr int atOnce = 4;
  std::int64_t first = 0;
  for (; first + atOnce * panelWidth <= columns; first += atOnce * panelWidth)
    packWholePanels<V, atOnce>(from + first, pitch, k, panels + first * k);
  for (; first + panelWidth <= columns; first += panelWidth)
    packWholePanels<V, 1>(from + first, pitch, k, panels + first * k);
  if (first < columns && k > 0) copyColumns<V>(panels + first * k, from + first, k, pitch, panelWidth, columns - first);
}

// Computes `rows` rows by `panels` panels in registers.
template <class V, int rows, int panels>
struct ProductTile {
  static constexpr int lanes = static_cast<int>(V::size);
  static constexpr int perPanel = static_cast<int>(panelWidth) / lanes, columns = panels * perPanel;
  // Few sums would wait for each other, so several sets of them take turns over k.
  static constexpr int enough = ProductSteps<V>::independentSums;
  static constexpr int sets = rows * columns >= enough ? 1 : rows * columns >= enough / 2 ? 2 : 4;

  // Fetches only if this does not delay the loads that the sums need.
  static constexpr bool hasSteps = ProductSteps<V>::length > 1;
  static constexpr bool fetches = sets == 1 && columns > 1 && !hasSteps;

  static void add(V (&sums)[rows][columns], const float* const* at, std::int64_t p, const float* right,
                  std::int64_t panelPitch) {
    V b[columns];
#pragma GCC unroll mostRegisters
    for (int j = 0; j < columns; ++j)
      b[j] = loadInRegister < rows != 1,
      V > (right + (j / perPanel) * panelPitch + j % perPanel * std::ptrdiff_t{lanes});
#pragma GCC unroll mostRegisters
    for (int i = 0; i < rows; ++i) {
      const V a(at[i][p]);
#pragma GCC unroll mostRegisters
      for (int j = 0; j < columns; ++j) sums[i][j] = fma(a, b[j], sums[i][j]);
    }
  }

  static void run(const ProductBlock& block) {
    const bool isWhole = block.columns == width;
    FirstColumns some;
    if (!isWhole) some.copy(block);
    ProductEpilogue epilogue = isWhole ? block.epilogue : some.epilogue;
    const float* const* table = block.rows;
    const float* fetched = block.fetched;
    float* out = block.out;
    for (std::int64_t left = block.blocks; left > 0; --left, table += block.taps * rows) {
      V sums[rows][columns];
      fetched = sum(sums, block, table, epilogue, fetched);
      if (isWhole) {
        storeSums(sums, epilogue, out, block.outPitch, 0);
      } else {
        if (epilogue.residual != nullptr) some.copyResidual(block, out);
        storeSums(sums, epilogue, some.results, width, 0);
        some.store(block, out);
      }
      out += rows * block.outPitch;
      if (isWhole && epilogue.residual != nullptr) epilogue.residual += rows * epilogue.residualPitch;
    }
  }

  // Computes the sums of a block. Returns the next element to fetch.
  [[gnu::always_inline]] static const float* sum(V (&result)[rows][columns], const ProductBlock& block,
                                                 const float* const* table, const ProductEpilogue& epilogue,
                                                 const float* fetched) {
    V sums[sets][rows][columns];
#pragma GCC unroll mostRegisters
    for (int s = 1; s < sets; ++s) startSums(sums[s], ProductEpilogue(), 0);
    startSums(sums[0], epilogue, 0);
    const std::int64_t pitch = block.rightPitch, panelPitch = block.panelPitch, depth = block.depth;
    const float* right = block.right;
    const std::int64_t fetchPitch = block.fetchPitch;
    std::int64_t tap = 0;
    do {
      const float* at[rows];
#pragma GCC unroll mostRegisters
      for (int i = 0; i < rows; ++i) at[i] = table[tap * rows + i];
      std::int64_t p = 0;
      if constexpr (hasSteps)
        if (pitch == panelWidth) p = ProductSteps<V>::add(sums, at, depth, right);
      if constexpr (sets > 1)
        for (; p + sets <= depth; p += sets, right += sets * pitch)
#pragma GCC unroll 4
          for (int s = 0; s < sets; ++s) add(sums[s], at, p + s, right + s * pitch, panelPitch);
      for (; p < depth; ++p, right += pitch) {
        if constexpr (fetches) {
          __builtin_prefetch(fetched, 0, 2);
          fetched += fetchPitch;
        }
        add(sums[0], at, p, right, panelPitch);
      }
    } while (++tap < block.taps);
#pragma GCC unroll mostRegisters
    for (int s = 1; s < sets; ++s)
#pragma GCC unroll mostRegisters
      for (int i = 0; i < rows; ++i)
#pragma GCC unroll mostRegisters
        for (int j = 0; j < columns; ++j) sums[0][i][j] = sums[0][i][j] + sums[s][i][j];
    forEachSum(result, [&](V, int i, int j) { return sums[0][i][j / lanes]; });
    return fetched;
  }

  static constexpr std::int64_t width = panels * panelWidth;

  // For the last columns, fewer than the panels have: copies of operands and results, filled up to whole vectors.
  struct FirstColumns {
    float scale[width], bias[width], results[rows * width];  // the results overwrite the residual
    ProductEpilogue epilogue;

    void copy(const ProductBlock& block) { copyOperands<V>(block, width, scale, bias, results, epilogue); }
    // Copies the residual of the results at `out`.
    void copyResidual(const ProductBlock& block, const float* out) {
      axle::runtime::copyResidual<V>(block, out, rows, width, results);
    }
    void store(const ProductBlock& block, float* out) const {
      storeColumns<V>(out, block.outPitch, results, rows, width, block.columns);
    }
  };
};

template <class V, int panels, class Rows>
struct ProductTable;
template <class V, int panels, int... row>
struct ProductTable<V, panels, std::integer_sequence<int, row...>> {
  static constexpr ProductKernel kernels[] = {&ProductTile<V, row + 1, panels>::run...};
};

// Returns the kernels for 1 to `rows` rows.
template <class V, int panels, int rows>
constexpr ProductShape productShape() {
  static_assert(rows <= maxProductRows && panelWidth * rows * panels <= maxProductSums);
  return {panels, rows, ProductTable<V, panels, std::make_integer_sequence<int, rows>>::kernels};
}

}  // namespace axle::runtime
