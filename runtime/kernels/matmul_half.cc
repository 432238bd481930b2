// Matrix products of f16 and bf16: blocks of the factors are widened to f32, which vector kernels multiply; results are
// rounded once, before the epilogue.
#include <algorithm>

#include "runtime/bundle_format.h"
#include "runtime/kernels/elements.h"
#include "runtime/kernels/products.h"
#include "runtime/kernels/window.h"
#include "runtime/vector/half.h"

namespace axle::runtime {
namespace {

// The product in blocks, each of which one part computes: so many rows by so many columns of one batch.
struct HalfBlocks {
  std::int64_t batches, m, n, k;
  std::int64_t rows = 32, columns = panelWidth;  // of a block
  std::int64_t rowBlocks, columnBlocks;

  explicit HalfBlocks(const Step& step) {
    const Shape& out = step.out(0).shape;
    m = out[out.rank() - 2], n = out[out.rank() - 1], k = step.in(0).columns();
    batches = product(out, 0, out.rank() - 2);
    // Widened columns stay in the second level of cache for several blocks of rows, in the first one for few rows.
    constexpr std::int64_t fewRows = 8, firstLevelBytes = std::int64_t{32} * 1024;
    const std::int64_t bytes = m < fewRows ? firstLevelBytes : products::cachedBytes,
                       panels = bytes / (std::max<std::int64_t>(k, 1) * panelWidth * 4);
    columns = panelWidth * std::clamp<std::int64_t>(panels, 2, 16);
    rowBlocks = (m + rows - 1) / rows, columnBlocks = (n + columns - 1) / columns;
  }
  std::int64_t count() const { return batches * columnBlocks * rowBlocks; }
};

// The workspace of a part, in f32: columns of the right factor in panels, rows of the left factor, and their product.
struct HalfWorkspace {
  float *right, *left, *sums;

  HalfWorkspace(std::byte* workspace, const HalfBlocks& blocks) : right(reinterpret_cast<float*>(workspace)) {
    left = right + blocks.k * blocks.columns;
    sums = left + blocks.rows * blocks.k;
  }
  static std::uint64_t bytes(const HalfBlocks& b) {
    return static_cast<std::uint64_t>((b.k + b.rows) * b.columns + b.rows * b.k) * sizeof(float);
  }
};

void widenPanels(WidenRows widen, const std::uint16_t* from, std::int64_t pitch, std::int64_t k, std::int64_t columns,
                 float* panels) {
  for (std::int64_t column = 0; column < columns; column += panelWidth, panels += k * panelWidth) {
    const std::int64_t width = std::min(panelWidth, columns - column);
    if (width < panelWidth) std::fill_n(panels, k * panelWidth, 0.0f);
    widen({from + column, pitch, k, width, panels, panelWidth});
  }
}

// Rounds a block's sums and stores them.
template <class T>
bool storeBlock(const Results& results, const float* sums, std::int64_t pitch, std::int64_t row, std::int64_t rows,
                std::int64_t column, std::int64_t columns, Fault& fault) {
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; c += stripWidth) {
      const std::int64_t count = std::min(stripWidth, columns - c);
      T kept[stripWidth];
      T* const to = results.at(row + r, column + c, kept);
      for (std::int64_t i = 0; i < count; ++i) to[i] = narrow<T>(sums[r * pitch + c + i]);
      if (!results.store(kept, row + r, column + c, count, fault)) return false;
    }
  return true;
}

template <class T>
WidenRows widenOf() {
  if constexpr (std::is_same_v<T, F16>)
    return AXLE_KERNELS_IN_USE(widenF16);
  else
    return AXLE_KERNELS_IN_USE(widenBf16);
}

template <class T>
bool runMatmulHalf(Step& step, Part part, Fault& fault) {
  const HalfBlocks blocks(step);
  const HalfWorkspace memory(workspaceOf(step, part), blocks);
  const TensorView &a = step.in(0), &b = step.in(1);
  const WidenRows widen = widenOf<T>();
  const Results results(step);
  const RegisterEpilogue none{{}, true};
  PanelProduct product;
  product.depth = blocks.k, product.right = memory.right, product.panelPitch = blocks.k * panelWidth;
  product.out = memory.sums, product.outPitch = blocks.columns, product.epilogue = &none;
  std::int64_t widened = -1;  // the batch's range of columns that `right` holds
  for (std::int64_t i = part.begin(blocks.count()); i < part.end(blocks.count()); ++i) {
    const std::int64_t group = i / blocks.rowBlocks, batch = group / blocks.columnBlocks;
    const std::int64_t column = group % blocks.columnBlocks * blocks.columns, row = i % blocks.rowBlocks * blocks.rows;
    product.columns = std::min(blocks.columns, blocks.n - column);
    product.rows = std::min(blocks.rows, blocks.m - row);
    if (group != widened)
      widenPanels(widen, b.as<std::uint16_t>() + batch * blocks.k * b.rowPitch() + column, b.rowPitch(), blocks.k,
                  product.columns, memory.right);
    widened = group;
    widen({a.as<std::uint16_t>() + (batch * blocks.m + row) * a.rowPitch(), a.rowPitch(), product.rows, blocks.k,
           memory.left, blocks.k});
    if (!runEvenRows(product, memory.left, blocks.k, fault) ||
        !storeBlock<T>(results, memory.sums, blocks.columns, batch * blocks.m + row, product.rows, column,
                       product.columns, fault))
      return false;
  }
  return true;
}

}  // namespace

const char* prepareMatmulHalf(Step& step) {
  const TensorView &a = step.in(0), &b = step.in(1), &out = step.out(0);
  const int rank = out.shape.rank();
  if (a.elem != b.elem || a.elem != step.baseElem()) return "the factors and the product must have one element type";
  if (rank < 2 || a.shape.rank() != rank || b.shape.rank() != rank) return "the ranks do not fit";
  for (int i = 0; i < rank - 2; ++i)
    if (a.shape[i] != out.shape[i] || b.shape[i] != out.shape[i]) return "the batches differ";
  if (a.shape[rank - 2] != out.shape[rank - 2] || b.shape[rank - 1] != out.shape[rank - 1] ||
      a.shape[rank - 1] != b.shape[rank - 2])
    return "the sizes do not fit";
  if (a.columns() > windowLimit) return "the factors are too large";
  const HalfBlocks blocks(step);
  step.macs = static_cast<std::uint64_t>(out.shape.elements()) * static_cast<std::uint64_t>(blocks.k);
  return divideStep(step, a.elem == Elem::f16 ? runMatmulHalf<F16> : runMatmulHalf<BF16>,
                    2 * productNanoseconds(*step.macs), HalfWorkspace::bytes(blocks));
}

}  // namespace axle::runtime
