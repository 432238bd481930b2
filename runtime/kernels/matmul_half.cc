// Matrix products of f16 and bf16: blocks of the factors are widened to f32, which vector kernels multiply; results are
// rounded once, before the epilogue. Of few rows, the right factor is widened in registers.
#include <algorithm>

#include "runtime/bundle_format.h"
#include "runtime/kernels/factors.h"
#include "runtime/kernels/halves.h"
#include "runtime/kernels/products.h"
#include "runtime/kernels/window.h"

namespace axle::runtime {
namespace {

// Each row by itself: then the right factor is read once for each of them.
constexpr std::int64_t mostSingleRows = 3;

// The product in blocks, each of which one part computes: so many rows by so many columns of one batch.
struct HalfBlocks : Factors {
  std::int64_t rows = 32, columns = 512;  // of a block
  std::int64_t rowBlocks, columnBlocks;

  explicit HalfBlocks(const Step& step) : Factors(step) {
    // Widened columns stay in the second level of cache for several blocks of rows, in the first one for few rows.
    constexpr std::int64_t fewRows = 8, firstLevelBytes = std::int64_t{32} * 1024;
    const std::int64_t bytes = m < fewRows ? firstLevelBytes : products::cachedBytes,
                       panels = bytes / (std::max<std::int64_t>(k, 1) * panelWidth * 4);
    if (!hasSingleRows()) columns = panelWidth * std::clamp<std::int64_t>(panels, 2, 16);
    rowBlocks = (m + rows - 1) / rows, columnBlocks = (n + columns - 1) / columns;
  }
  bool hasSingleRows() const { return m <= mostSingleRows; }
  std::int64_t count() const { return batches * columnBlocks * rowBlocks; }
};

// The workspace of a part, in f32: columns of the right factor in panels, rows of the left factor, and their product.
struct HalfWorkspace {
  float *right, *left, *sums;

  HalfWorkspace(std::byte* workspace, const HalfBlocks& blocks) : right(reinterpret_cast<float*>(workspace)) {
    left = right + (blocks.hasSingleRows() ? 0 : blocks.k * blocks.columns);
    sums = left + blocks.rows * blocks.k;
  }
  static std::uint64_t bytes(const HalfBlocks& b) {
    return static_cast<std::uint64_t>((b.hasSingleRows() ? 0 : b.k * b.columns) + b.rows * (b.k + b.columns)) *
           sizeof(float);
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

// Where a block of the product begins, and its size.
struct HalfBlock {
  std::int64_t batch, row, rows, column, columns;

  HalfBlock(const HalfBlocks& blocks, std::int64_t index) {
    const std::int64_t group = index / blocks.rowBlocks;
    batch = group / blocks.columnBlocks;
    column = group % blocks.columnBlocks * blocks.columns, row = index % blocks.rowBlocks * blocks.rows;
    columns = std::min(blocks.columns, blocks.n - column), rows = std::min(blocks.rows, blocks.m - row);
  }
};

bool runSingleRows(Step& step, Part part, Fault& fault) {
  const HalfBlocks blocks(step);
  const HalfWorkspace memory(workspaceOf(step, part), blocks);
  const Elem elem = step.baseElem();
  const WidenRows widen = widenHalves(elem);
  const MultiplyHalf multiply =
      elem == Elem::f16 ? AXLE_KERNELS_IN_USE(multiplyF16) : AXLE_KERNELS_IN_USE(multiplyBf16);
  const HalfEpilogue epilogue(step);
  for (std::int64_t i = part.begin(blocks.count()); i < part.end(blocks.count()); ++i) {
    const HalfBlock block(blocks, i);
    for (std::int64_t row = 0; row < block.rows; ++row) {
      widen({blocks.left<std::uint16_t>(block.batch, row), 0, 1, blocks.k, memory.left, 0});
      multiply({memory.left, blocks.k, blocks.right<std::uint16_t>(block.batch, block.column), blocks.b.rowPitch(),
                block.columns, memory.sums});
      if (!epilogue.store(memory.sums, 0, block.batch * blocks.m + row, 1, block.column, block.columns, fault))
        return false;
    }
  }
  return true;
}

bool runMatmulHalf(Step& step, Part part, Fault& fault) {
  const HalfBlocks blocks(step);
  const HalfWorkspace memory(workspaceOf(step, part), blocks);
  const WidenRows widen = widenHalves(step.baseElem());
  const HalfEpilogue epilogue(step);
  const RegisterEpilogue none{{}, true};
  PanelProduct product;
  product.depth = blocks.k, product.right = memory.right, product.panelPitch = blocks.k * panelWidth;
  product.out = memory.sums, product.outPitch = blocks.columns, product.epilogue = &none;
  std::int64_t widened = -1;  // the batch's range of columns that `right` holds
  for (std::int64_t i = part.begin(blocks.count()); i < part.end(blocks.count()); ++i) {
    const HalfBlock block(blocks, i);
    const std::int64_t group = i / blocks.rowBlocks;
    product.columns = block.columns, product.rows = block.rows;
    if (group != widened)
      widenPanels(widen, blocks.right<std::uint16_t>(block.batch, block.column), blocks.b.rowPitch(), blocks.k,
                  block.columns, memory.right);
    widened = group;
    widen({blocks.left<std::uint16_t>(block.batch, block.row), blocks.a.rowPitch(), block.rows, blocks.k, memory.left,
           blocks.k});
    if (!runEvenRows(product, memory.left, blocks.k, fault) ||
        !epilogue.store(memory.sums, blocks.columns, block.batch * blocks.m + block.row, block.rows, block.column,
                        block.columns, fault))
      return false;
  }
  return true;
}

}  // namespace

const char* prepareMatmulHalf(Step& step) {
  const TensorView &a = step.in(0), &b = step.in(1);
  if (a.elem != b.elem || a.elem != step.baseElem()) return "the factors and the product must have one element type";
  if (const char* problem = checkFactors(step)) return problem;
  if (a.columns() > windowLimit) return "the factors are too large";
  const HalfBlocks blocks(step);
  step.macs = static_cast<std::uint64_t>(step.out(0).shape.elements()) * static_cast<std::uint64_t>(blocks.k);
  return divideStep(step, blocks.hasSingleRows() ? runSingleRows : runMatmulHalf, 2 * productNanoseconds(*step.macs),
                    HalfWorkspace::bytes(blocks));
}

}  // namespace axle::runtime
