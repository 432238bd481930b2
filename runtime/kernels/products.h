// Products of rows with packed panels (vector/product.h): the loop over blocks that MATMUL and convolutions share.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "runtime/kernels/results.h"
#include "runtime/parts.h"
#include "runtime/vector/product.h"

namespace axle::runtime {

// The part of a call's epilogue that kernels apply to sums in registers: a scale and a bias per channel, the addition
// of a tensor, limits. `isWhole`: the whole epilogue has this form.
struct RegisterEpilogue {
  ProductEpilogue atOrigin;  // at the result's first element
  bool isWhole = false;

  // Returns the epilogue for results from a row and a column on.
  ProductEpilogue from(std::int64_t row, std::int64_t column) const {
    ProductEpilogue parts = atOrigin;
    if (parts.scale != nullptr) parts.scale += column;
    if (parts.bias != nullptr) parts.bias += column;
    if (parts.residual != nullptr) parts.residual += row * parts.residualPitch + column;
    return parts;
  }
  // Returns the epilogue for results from a row on.
  RegisterEpilogue fromRow(std::int64_t row) const { return {from(row, 0), isWhole}; }
};
RegisterEpilogue registerEpilogue(const Step& step);

// One product: `rows` rows of results from `firstRow` on, `columns` from `firstColumn` on.
struct PanelProduct {
  std::int64_t rows = 0, firstRow = 0, columns = 0, firstColumn = 0;
  std::int64_t taps = 1, depth = 0;
  const float* right = nullptr;          // the right factor, in panels
  std::int64_t rightPitch = panelWidth;  // elements from one row of a panel to the next
  std::int64_t panelPitch = 0;           // elements from one panel to the next
  std::int64_t outPitch = 0;
  float* out = nullptr;
  std::int64_t outRow = 0;  // the row of results that `out` begins with
  const RegisterEpilogue* epilogue = nullptr;
  const Results* results = nullptr;      // if the epilogue is not whole
  GridPart part;                         // a part of the tiles of rows and of the groups of panels
  const ProductShape* narrow = nullptr;  // the kernels, if packColumns of vector/product.h stored the right factor
  bool isInWorkspace = false;            // the right factor of a prepared product is in the step's workspace
  bool isPiece = false;                  // of a deep product, of which the other pieces run before or after it
  // So many products of neighbouring channels of the same rows: for each, the left factor begins `depth` elements after
  // that of the one before, the right factor `channelGroupPitch` elements, and the results `columns` elements.
  std::int64_t channelGroups = 1, channelGroupPitch = 0;

  std::int64_t k() const { return taps * depth; }
  // Whether there are enough rows and depth to divide the depth into pieces. All rows are multiplied by a piece of the
  // panels before the next piece is read, so that it stays in the first-level cache.
  bool isDeep() const {
    constexpr std::int64_t leastRows = 24, leastDepth = 192;
    return taps == 1 && narrow == nullptr && depth >= leastDepth && rows >= leastRows;
  }
  // Returns the product of a group of channels, to which the caller moves the pointers of rows.
  PanelProduct ofChannelGroup(std::int64_t group) const {
    PanelProduct of = *this;
    of.right += group * channelGroupPitch;
    of.firstColumn += group * columns;
    return of;
  }
  std::int64_t panelBytes() const { return taps * depth * panelWidth * static_cast<std::int64_t>(sizeof(float)); }
};

// Returns the part of a step's product that `part` computes.
GridPart partOf(const Step& step, const PanelProduct& product, Part part);

// Estimates the time of this many multiply-accumulates on one thread, in nanoseconds.
constexpr std::uint64_t productNanoseconds(std::uint64_t macs) { return macs / 24; }

// The epilogue of a step: applied in registers, or from memory if kernels cannot apply the whole of it in registers.
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

// Leaves of an epilogue what belongs to a piece of the depth: pieces after the first add their sums to those at `sums`.
inline void keepPieceOf(ProductEpilogue& parts, bool isFirst, bool isLast, const float* sums, std::int64_t pitch) {
  if (!isFirst) parts.bias = nullptr, parts.residual = sums, parts.residualPitch = pitch;
  if (!isLast) parts.low = ProductEpilogue().low, parts.high = ProductEpilogue().high;
}

// Divides the depth of a product into pieces. Rows and columns of the product may change afterwards.
class DepthPieces {
 public:
  DepthPieces(const ProductKernels& kernels, const PanelProduct& product) : product_(product) {
    // The sums of the pieces before are a residual, which begins at row 0 of the results.
    const bool isDivided = product.isDeep() && product.epilogue->isWhole &&
                           product.epilogue->atOrigin.scale == nullptr && product.outRow == 0;
    count_ = isDivided ? countOf(kernels, product.depth) : 1;
  }

  // Returns the number of pieces if the depth is divided.
  static std::int64_t countOf(const ProductKernels& kernels, std::int64_t depth) {
    return (depth + kernels.depthOfPiece / 2) / kernels.depthOfPiece;
  }

  std::int64_t count() const { return count_; }
  std::int64_t greatestDepth() const { return (product_.depth + count_ - 1) / count_; }
  std::int64_t begin(std::int64_t piece) const { return product_.depth * piece / count_; }
  bool isLast(std::int64_t piece) const { return piece + 1 == count_; }

  // The product of a piece, with the part of the epilogue that belongs to it, which is to be stored in `epilogue`: it
  // adds its sums to those of the pieces before it, in memory.
  PanelProduct at(std::int64_t piece, RegisterEpilogue& epilogue) const {
    PanelProduct of = product_;
    if (count_ == 1) return of;
    of.isPiece = true;
    of.depth = begin(piece + 1) - begin(piece);
    of.right += begin(piece) * product_.rightPitch;
    epilogue = *product_.epilogue;
    of.epilogue = &epilogue;
    keepPieceOf(epilogue.atOrigin, piece == 0, isLast(piece), product_.out, product_.outPitch);
    return of;
  }

 private:
  const PanelProduct& product_;
  std::int64_t count_;
};

// The size of panels that stay in the second-level cache while all rows are multiplied by them.
inline constexpr std::int64_t cachedBytes = std::int64_t{256} * 1024;
// The largest size of a block's panels if several tiles of rows read them.
inline constexpr std::int64_t largestBlockBytes = std::int64_t{640} * 1024;

// Returns the shape of the next block, of the `left` panels that remain. Avoids a block of one panel beside one of
// four, and blocks too large to stay in the cache from one tile of rows to the next.
const ProductShape& nextShape(const ProductKernels& kernels, const PanelProduct& product, std::int64_t left);

// Panels [first, last), by which all rows are multiplied. Meanwhile the blocks fetch the elements [fetched,
// fetchedEnd), which are needed next, into the cache, as memory would be idle otherwise: each block `fetchPitch`
// elements for each row of the right factor.
struct PanelGroup {
  std::int64_t first = 0, last = 0;
  const float *fetched = nullptr, *fetchedEnd = nullptr;
  std::int64_t fetchPitch = 0;
  std::int64_t resultPitch = 0;  // if not 0, the results of the next rows are fetched instead, by this pitch
};

// Spreads fetches over all blocks of the group, either of the panels [group.last, end) or of results.
void planFetches(const PanelProduct& product, const ProductShape& shape, PanelGroup& group, std::int64_t end,
                 std::int64_t tiles);

// Return the number of groups into which nextShape divides the panels, and the first panel of a group.
std::int64_t groupsOf(const ProductKernels& kernels, const PanelProduct& product);
std::int64_t panelOfGroup(const ProductKernels& kernels, const PanelProduct& product, std::int64_t group);

// Returns the first row of a tile, if rows are divided into tiles of nearly equal size.
constexpr std::int64_t rowOfTile(std::int64_t rows, std::int64_t tiles, std::int64_t tile) {
  return rows / tiles * tile + std::max<std::int64_t>(0, tile - (tiles - rows % tiles));
}

// `tiles` consecutive tiles of `rows` rows each, from `row` on.
struct Tiles {
  std::int64_t row = 0, rows = 0, tiles = 1;
  std::int64_t piece = 0;  // of the depth
};

// The order in which a product's tiles of rows and groups of panels run: calls visit(context, ...) for those of its
// part, until one returns false. `pieces`: of the depth, for each of which a block of panels passes all rows. `rows`:
// that are asked for at once, at least maxProductRows.
using VisitTiles = bool (*)(void* context, const ProductShape& shape, PanelGroup& group, const Tiles& tiles);
bool forTiles(const ProductKernels& kernels, const PanelProduct& product, void* context, VisitTiles visit,
              std::int64_t pieces, std::int64_t rows);

// Sets what the blocks of some tiles fetch, if the group fetches results.
void beginTiles(const PanelProduct& product, const Tiles& tiles, PanelGroup& group);

// Sets the right factor and columns of a block, and what it fetches.
void setBlock(ProductBlock& block, const PanelProduct& product, const ProductShape& shape, std::int64_t panel,
              const Tiles& tiles, PanelGroup& group);

// Runs tiles, whose row pointers are in `table`, for each block of panels in the group.
bool runTiles(const PanelProduct& product, const ProductShape& shape, const float* const* table, const Tiles& tiles,
              PanelGroup& group, Fault& fault);

// Runs a product of one tile of rows, whose pointers are in `table`. `isWhole` must be true of the epilogue, and k > 0.
void runTile(const ProductKernels& kernels, const PanelProduct& product, const float* const* table);

}  // namespace products

// The number of elements of the left factor in the tiles of one call of a kernel: they stay in the first-level cache.
// `rowsAtOnce` is the number of rows that are requested at once from a left factor with rows of k elements.
inline constexpr std::int64_t elementsAtOnce = 4096, mostRowsAtOnce = 128;
constexpr std::int64_t rowsAtOnce(std::int64_t k) {
  return std::clamp(elementsAtOnce / std::max<std::int64_t>(k, 1), maxProductRows, mostRowsAtOnce);
}

// The left factor of a product: pointAt(context, row, count, table, before) sets table[tap * count + i] to the elements
// of row `row + i` that tap `tap` multiplies; the `before` rows in front of it are asked for at the same time. `table`
// has room for taps * rowsAtOnce(k) pointers, or, if it `hasRoom`, for taps * mostRowsAtOnce where there is one tap or
// several groups of channels. Pieces of a deep product run on so many rows, which stay in the second-level cache while
// panels pass the first; groups share the pointers to so many rows.
struct LeftRows {
  void (*pointAt)(void* context, std::int64_t row, std::int64_t count, const float** table, std::int64_t before);
  void* context;
  const float** table;
  bool hasRoom = false;
};
bool runProduct(const PanelProduct& product, const LeftRows& left, Fault& fault);

// Runs a product of rows `pitch` elements apart. `pieces` are the offsets of the pieces of a row, in units of
// `piecePitch` elements: at most mostPieces, and if there are several, of at least `fewestElements` elements each.
inline constexpr std::int64_t mostPieces = 64, fewestElements = 16;
inline constexpr std::int64_t onePiece[] = {0};
bool runEvenRows(const PanelProduct& product, const float* left, std::int64_t pitch, Fault& fault,
                 std::span<const std::int64_t> pieces = onePiece, std::int64_t piecePitch = 0);

// Prepares MATMUL_VECTOR with factors of f16 or bf16 (matmul_half.cc).
const char* prepareMatmulHalf(Step& step);

}  // namespace axle::runtime
