// Products of rows with packed panels (vector/product.h): the loop over blocks that MATMUL and convolutions share.
#pragma once

#include <algorithm>
#include <optional>

#include "runtime/kernels/results.h"
#include "runtime/vector/product.h"

namespace axle::runtime {

// The part of a call's epilogue that kernels apply to sums in registers: a scale and a bias by channel, a sum with
// another tensor, limits. `isWhole`: the whole epilogue has this form.
struct RegisterEpilogue {
  ProductEpilogue atOrigin;  // at the result's first element
  bool isWhole = false;
};
RegisterEpilogue registerEpilogue(const Step& step);

// One product: `rows` rows of results from `firstRow` on, `columns` from `firstColumn` on.
struct PanelProduct {
  std::int64_t rows = 0, firstRow = 0, columns = 0, firstColumn = 0;
  std::int64_t taps = 1, depth = 0;
  const float* right = nullptr;          // the right factor, in panels
  std::int64_t rightPitch = panelWidth;  // elements from one row of a panel to the next
  std::int64_t panelPitch = 0;           // and from one panel to the next
  std::int64_t outPitch = 0;
  float* out = nullptr;
  const RegisterEpilogue* epilogue = nullptr;
  const Results* results = nullptr;  // where the epilogue is not whole
};

// What happens to the results of a step: in registers, or, where that is not the whole epilogue, from memory.
class StepEpilogue {
 public:
  explicit StepEpilogue(Step& step) : inRegisters_(registerEpilogue(step)) {
    if (!inRegisters_.isWhole) results_.emplace(step);
  }

  const RegisterEpilogue& inRegisters() const { return inRegisters_; }
  const Results* results() const { return results_ ? &*results_ : nullptr; }

 private:
  RegisterEpilogue inRegisters_;
  std::optional<Results> results_;
};

namespace products {

// Panels that stay in the second level of cache while all rows pass.
inline constexpr std::int64_t cachedBytes = std::int64_t{256} * 1024;

// How many panels of this many bytes the next block takes of those that are left: no block of one panel beside one of
// four, and no more than stay in the cache beside the next ones.
const ProductShape& nextShape(const ProductKernels& kernels, std::int64_t left, std::int64_t panelBytes);

// Panels [first, last) that all rows pass. Elements [fetched, fetchedEnd) that will be needed are fetched into the
// cache meanwhile: by each block `fetchPitch` for each row of the right factor, as memory would be idle otherwise.
struct PanelGroup {
  std::int64_t first = 0, last = 0;
  const float *fetched = nullptr, *fetchedEnd = nullptr;
  std::int64_t fetchPitch = 0;
};

// Spreads the fetches of panels [group.last, end) over so many blocks.
void fetchPanels(const PanelProduct& product, PanelGroup& group, std::int64_t end, std::int64_t blocks);

// Runs a block whose row pointers are set, for each block of panels in the group.
bool runBlock(const PanelProduct& product, const ProductShape& shape, const float* const* table, std::int64_t row,
              std::int64_t rows, PanelGroup& group, Fault& fault);

}  // namespace products

// rowsAt(row, count, table): sets table[tap * count + i] to the elements of row `row + i` that tap `tap` multiplies.
// `table` has room for taps * maxProductRows pointers.
template <class RowsAt>
bool runProduct(const PanelProduct& product, const float** table, RowsAt rowsAt, Fault& fault) {
  using namespace products;
  const ProductKernels& kernels = AXLE_KERNELS_IN_USE(products);
  const std::int64_t panels = panelsOf(product.columns),
                     panelBytes = product.taps * product.depth * panelWidth * static_cast<std::int64_t>(sizeof(float));
  for (std::int64_t panel = 0; panel < panels;) {
    const ProductShape& shape = nextShape(kernels, panels - panel, panelBytes);
    std::int64_t last = panel + shape.panels;
    while (last < panels && &nextShape(kernels, panels - last, panelBytes) == &shape &&
           (last + shape.panels - panel) * panelBytes <= cachedBytes)
      last += shape.panels;
    const std::int64_t tiles = (product.rows + shape.rows - 1) / shape.rows;
    PanelGroup group{panel, last};
    fetchPanels(product, group, std::min(panels, last + (last - panel)), tiles * ((last - panel) / shape.panels));
    for (std::int64_t tile = 0, row = 0; tile < tiles; ++tile) {
      const std::int64_t count = (product.rows - row) / (tiles - tile);
      rowsAt(row, count, table);
      if (!runBlock(product, shape, table, row, count, group, fault)) return false;
      row += count;
    }
    panel = last;
  }
  return true;
}

}  // namespace axle::runtime
