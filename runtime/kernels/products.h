// Products of rows with packed panels (vector/product.h): the loop over blocks that MATMUL and convolutions share.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "runtime/kernels/results.h"
#include "runtime/parts.h"
#include "runtime/vector/product.h"

namespace axle::runtime {

// The part of a call's epilogue that kernels apply to sums in registers: a scale and a bias by channel, a sum with
// another tensor, limits. `isWhole`: the whole epilogue has this form.
struct RegisterEpilogue {
  ProductEpilogue atOrigin;  // at the result's first element
  bool isWhole = false;

  // The parts from a row and a column of the result on.
  ProductEpilogue from(std::int64_t row, std::int64_t column) const {
    ProductEpilogue parts = atOrigin;
    if (parts.scale != nullptr) parts.scale += column;
    if (parts.bias != nullptr) parts.bias += column;
    if (parts.residual != nullptr) parts.residual += row * parts.residualPitch + column;
    return parts;
  }
  // As it is for results from a row on.
  RegisterEpilogue fromRow(std::int64_t row) const { return {from(row, 0), isWhole}; }
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
  std::int64_t outRow = 0;  // the row of results that `out` begins with
  const RegisterEpilogue* epilogue = nullptr;
  const Results* results = nullptr;  // where the epilogue is not whole
  GridPart part;                     // of the tiles of rows, and of the groups of panels

  std::int64_t k() const { return taps * depth; }
  // Whether so many rows pass panels so deep that the depth is taken in pieces: all rows pass a piece of the panels before
  // the next piece is read, so that it stays in the first level of cache.
  bool isDeep() const {
    constexpr std::int64_t leastRows = 24, leastDepth = 192;
    return taps == 1 && depth >= leastDepth && rows >= leastRows;
  }
  std::int64_t panelBytes() const { return taps * depth * panelWidth * static_cast<std::int64_t>(sizeof(float)); }
};

// Of a product of the step.
GridPart partOf(const Step& step, const PanelProduct& product, Part part);

// About the time of this many multiply-accumulates on one thread, in nanoseconds.
constexpr std::uint64_t productNanoseconds(std::uint64_t macs) { return macs / 24; }

// What happens to the results of a step: in registers, or, where that is not the whole epilogue, from memory.
class StepEpilogue {
 public:
  explicit StepEpilogue(Step& step) : inRegisters_(registerEpilogue(step)) {
    if (!inRegisters_.isWhole) results_.emplace(step);
  }

  const RegisterEpilogue& inRegisters() const { return inRegisters_; }
  const Results* results() const { return results_ ? &*results_ : nullptr; }
  void moveTo(std::byte* data, std::int64_t firstRow) {
    if (results_) results_->moveTo(data, firstRow);
  }

 private:
  RegisterEpilogue inRegisters_;
  std::optional<Results> results_;
};

namespace products {

// Panels that stay in the second level of cache while all rows pass.
inline constexpr std::int64_t cachedBytes = std::int64_t{256} * 1024;
// Of the panels of a block that several tiles of rows read again.
inline constexpr std::int64_t largestBlockBytes = std::int64_t{640} * 1024;

// How many panels the next block takes of those that are left: no block of one panel beside one of four, and no more
// than stay in the cache from one tile of rows to the next.
const ProductShape& nextShape(const ProductKernels& kernels, const PanelProduct& product, std::int64_t left);

// Panels [first, last) that all rows pass. Elements [fetched, fetchedEnd) that will be needed are fetched into the
// cache meanwhile: by each block `fetchPitch` for each row of the right factor, as memory would be idle otherwise.
struct PanelGroup {
  std::int64_t first = 0, last = 0;
  const float *fetched = nullptr, *fetchedEnd = nullptr;
  std::int64_t fetchPitch = 0;
  std::int64_t resultPitch = 0;  // instead of them, of the results of the next rows; 0: none
};

// Spreads the fetches over all blocks of the group: of the panels [group.last, end), or of results.
void planFetches(const PanelProduct& product, const ProductShape& shape, PanelGroup& group, std::int64_t end,
                 std::int64_t tiles);

// How many groups there are if the panels are taken in nextShape's groups, and the first panel of one of them.
std::int64_t groupsOf(const ProductKernels& kernels, const PanelProduct& product);
std::int64_t panelOfGroup(const ProductKernels& kernels, const PanelProduct& product, std::int64_t group);

// Rows in tiles of nearly equal size: the first row of a tile.
constexpr std::int64_t rowOfTile(std::int64_t rows, std::int64_t tiles, std::int64_t tile) {
  return rows / tiles * tile + std::max<std::int64_t>(0, tile - (tiles - rows % tiles));
}

// Rows of a tile, `rows` of them, and of the next `tiles` - 1 ones.
struct Tiles {
  std::int64_t row = 0, rows = 0, tiles = 1;
  std::int64_t piece = 0;  // of the depth
};

// The order in which a product's tiles of rows and groups of panels run: calls visit(context, ...) for those of its part,
// until one returns false. `pieces`: of the depth, for each of which a block of panels passes all rows. `rows`: that are
// asked for at once, at least maxProductRows.
using VisitTiles = bool (*)(void* context, const ProductShape& shape, PanelGroup& group, const Tiles& tiles);
bool forTiles(const ProductKernels& kernels, const PanelProduct& product, void* context, VisitTiles visit,
              std::int64_t pieces, std::int64_t rows);

// Before the blocks of some tiles: what is fetched meanwhile, if that are results.
void beginTiles(const PanelProduct& product, const Tiles& tiles, PanelGroup& group);

// Sets the right factor and columns of a block, and what it fetches.
void setBlock(ProductBlock& block, const PanelProduct& product, const ProductShape& shape, std::int64_t panel,
              const Tiles& tiles, PanelGroup& group);

// Runs tiles whose row pointers are set, for each block of panels in the group.
bool runTiles(const PanelProduct& product, const ProductShape& shape, const float* const* table, const Tiles& tiles,
              PanelGroup& group, Fault& fault);

// A product of one tile of rows, at `table`, whose whole epilogue is in registers; k > 0.
void runTile(const ProductKernels& kernels, const PanelProduct& product, const float* const* table);

}  // namespace products

// Elements of the left factor whose tiles follow each other in one call of a kernel: they stay in the first level of
// cache. So many rows are asked for at once, of a left factor with rows of k elements.
inline constexpr std::int64_t elementsAtOnce = 4096, mostRowsAtOnce = 128;
constexpr std::int64_t rowsAtOnce(std::int64_t k) {
  return std::clamp(elementsAtOnce / std::max<std::int64_t>(k, 1), maxProductRows, mostRowsAtOnce);
}

// The left factor of a product: pointAt(context, row, count, table, before) sets table[tap * count + i] to the elements
// of row `row + i` that tap `tap` multiplies; the `before` rows in front of it are asked for at the same time. `table`
// has room for taps * rowsAtOnce(k) pointers, or, if it `hasRoom`, for taps * mostRowsAtOnce where there is one tap.
struct LeftRows {
  void (*pointAt)(void* context, std::int64_t row, std::int64_t count, const float** table, std::int64_t before);
  void* context;
  const float** table;
  bool hasRoom = false;
};
bool runProduct(const PanelProduct& product, const LeftRows& left, Fault& fault);

// A product of rows that are evenly apart. `pieces`: where the pieces of a row begin, in units of `piecePitch`
// elements; at most mostPieces, and if there are several they have `fewestElements` each.
inline constexpr std::int64_t mostPieces = 64, fewestElements = 16;
inline constexpr std::int64_t onePiece[] = {0};
bool runEvenRows(const PanelProduct& product, const float* left, std::int64_t pitch, Fault& fault,
                 std::span<const std::int64_t> pieces = onePiece, std::int64_t piecePitch = 0);

// Of MATMUL_VECTOR with factors of f16 or bf16 (matmul_half.cc).
const char* prepareMatmulHalf(Step& step);

}  // namespace axle::runtime
