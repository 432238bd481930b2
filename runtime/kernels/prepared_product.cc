#include "runtime/kernels/prepared_product.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "runtime/kernels/products.h"

namespace axle::runtime {
namespace {

using Fetches = PreparedProduct::Fetches;

// The operands of the epilogue, which may be elsewhere in each run.
void placeEpilogue(const Step& step, ProductEpilogue& parts) {
  const EpilogueForm& form = step.epilogueForm;
  const auto elementsOf = [&](EpiloguePart part) { return step.in(form.input(part)).as<float>(); };
  if (form.has(EpiloguePart::scale)) parts.scale = elementsOf(EpiloguePart::scale);
  if (form.has(EpiloguePart::bias)) parts.bias = elementsOf(EpiloguePart::bias);
  if (form.has(EpiloguePart::residual)) parts.residual = elementsOf(EpiloguePart::residual);
  if (form.has(EpiloguePart::low)) parts.low = *elementsOf(EpiloguePart::low);
  if (form.has(EpiloguePart::high)) parts.high = *elementsOf(EpiloguePart::high);
}

// Whether a call goes on where the one before it ends.
[[gnu::cold]] bool follows(const PreparedProduct::Call& call, const PreparedProduct::Call& before, std::int64_t taps) {
  const std::int64_t rows = before.blocks * before.rows;
  const std::int64_t fetched = before.fetched + before.blocks * taps * before.depth * before.fetchPitch;
  const bool fetchesOn = call.fetchPitch == before.fetchPitch && call.fetched == fetched;
  return call.kernel == before.kernel && call.right == before.right && call.fetches == before.fetches &&
         (call.fetches == Fetches::results || fetchesOn) && call.row == before.row + rows &&
         call.table == before.table + static_cast<std::size_t>(rows * taps);
}

// Where the pointers of these tiles are, which other groups of panels may have already.
[[gnu::cold]] std::size_t tableOf(PreparedProduct& prepared, const products::Tiles& tiles, std::int64_t begin,
                                  std::int64_t taps) {
  for (const PreparedProduct::Rows& rows : prepared.rows)
    if (rows.row == tiles.row && rows.count == tiles.rows && rows.tiles == tiles.tiles && rows.begin == begin)
      return rows.table;
  const std::size_t table = prepared.table.size();
  prepared.rows.push_back({tiles.row, tiles.rows, tiles.tiles, table, begin});
  prepared.table.resize(table + static_cast<std::size_t>(tiles.tiles * tiles.rows * taps));
  return table;
}

void pointEven(Step& step) {
  PreparedProduct& product = step.product;
  const float** to = product.table.data();
  for (const PreparedProduct::Rows& rows : product.rows)
    for (std::int64_t row = rows.row; row < rows.row + rows.tiles * rows.count; row += rows.count)
      for (const std::int64_t piece : product.pieces) {
        const float* at = product.left + row * product.pitch + piece + rows.begin;
        for (std::int64_t i = 0; i < rows.count; ++i, at += product.pitch) *to++ = at;
      }
}

struct Plan {
  const PanelProduct& product;
  const products::DepthPieces& pieces;
  PreparedProduct& prepared;
};

// Adds the calls of a group's tiles.
[[gnu::cold]] bool planTiles(void* context, const ProductShape& shape, products::PanelGroup& group,
                             const products::Tiles& tiles) {
  const auto& [product, pieces, prepared] = *static_cast<Plan*>(context);
  RegisterEpilogue epilogue;
  const PanelProduct piece = pieces.at(tiles.piece, epilogue);
  PreparedProduct::Call call{shape.kernels[tiles.rows - 1],
                             tableOf(prepared, tiles, pieces.begin(tiles.piece), product.taps), tiles.rows, tiles.tiles,
                             tiles.row};
  call.depth = piece.depth;
  call.isFirst = tiles.piece == 0, call.isLast = pieces.isLast(tiles.piece);
  call.rightPitch = product.rightPitch, call.panelPitch = product.panelPitch;
  call.isInWorkspace = product.isInWorkspace;
  const bool isOneBlock = group.last - group.first == shape.panels;
  products::beginTiles(product, tiles, group);
  call.fetches = group.resultPitch != 0 ? Fetches::results : Fetches::panels;
  const float* const origin = call.fetches == Fetches::results ? product.out : product.right;
  for (std::int64_t panel = group.first; panel < group.last; panel += shape.panels) {
    ProductBlock block;
    products::setBlock(block, piece, shape, panel, tiles, group);
    call.column = product.firstColumn + panel * panelWidth, call.columns = block.columns;
    call.right = block.right - product.right;
    call.fetched = block.fetched == nullptr ? call.right : block.fetched - origin;
    call.fetchPitch = block.fetchPitch;
    if (isOneBlock && !prepared.calls.empty() && follows(call, prepared.calls.back(), product.taps))
      prepared.calls.back().blocks += tiles.tiles;
    else
      prepared.calls.push_back(call);
  }
  return true;
}

}  // namespace

// Pointers to zeros, in the product's own memory, stay when the left factor moves.
void pointPrepared(Step& step, const float* left) {
  PreparedProduct& product = step.product;
  if (left == product.left) return;
  const float* const before = std::exchange(product.left, left);
  if (before == nullptr) return product.point(step);
  const std::ptrdiff_t moved = left - before;
  if (product.memory.empty()) {
    for (const float*& at : product.table) at += moved;
    return;
  }
  const auto addressOf = [](const float* at) { return reinterpret_cast<std::uintptr_t>(at); };
  const std::uintptr_t zeros = addressOf(product.memory.data()), bytes = product.memory.size() * sizeof(float);
  for (const float*& at : product.table)
    if (addressOf(at) - zeros >= bytes) at += moved;
}

void runPreparedRows(Step& step, float* out, std::int64_t firstRow) {
  PreparedProduct& product = step.product;
  ProductBlock& block = product.block;
  const float* const rights[] = {step.in(1).as<float>(), reinterpret_cast<const float*>(step.workspace)};
  RegisterEpilogue epilogue{product.epilogue, true};
  placeEpilogue(step, epilogue.atOrigin);
  for (const PreparedProduct::Call& call : product.calls) {
    const float* const right = rights[call.isInWorkspace ? 1 : 0];
    block.rows = product.table.data() + call.table;
    block.blocks = call.blocks;
    block.right = right + call.right;
    block.depth = call.depth;
    block.rightPitch = call.rightPitch, block.panelPitch = call.panelPitch;
    const float* const fetched[] = {right, out, product.next};  // in the order of Fetches
    block.fetched = fetched[static_cast<std::size_t>(call.fetches)] + call.fetched;
    block.fetchPitch = call.fetchPitch;
    block.out = out + call.row * block.outPitch + call.column;
    block.columns = call.columns;
    block.epilogue = epilogue.from(firstRow + call.row, call.column);
    products::keepPieceOf(block.epilogue, call.isFirst, call.isLast, block.out, block.outPitch);
    call.kernel(block);
  }
}

bool runPrepared(Step& step, const float* left, Fault& fault) {
  pointPrepared(step, left);
  if (step.epilogueForm.isWhole) {
    runPreparedRows(step, step.out(0).as<float>(), 0);
    return true;
  }
  alignas(tensorAlignment) float sums[stripWidth];
  runPreparedRows(step, sums, 0);
  return reportDivision(runDirect(step, sums), fault);
}

bool runPreparedStep(Step& step, Fault& fault) { return runPrepared(step, step.in(0).as<float>(), fault); }

[[gnu::cold]] bool prepareProduct(Step& step, std::span<const PanelProduct> ranges) {
  using namespace products;
  const PanelProduct& first = ranges.front();
  PreparedProduct& prepared = step.product;
  prepared = {};
  if (step.late || step.parts != 1 || first.rows == 0 || first.k() == 0) return false;
  if (!step.epilogueForm.isWhole && !step.chain.isDirect) return false;
  if (first.rows > mostPreparedPointers || first.taps > mostPreparedPointers / first.rows) return false;
  const ProductKernels& kernels = AXLE_KERNELS_IN_USE(products);
  float origin = 0;  // only distances from it are kept
  RegisterEpilogue epilogue;
  epilogue.isWhole = step.epilogueForm.isWhole;
  if (step.epilogueForm.has(EpiloguePart::scale)) epilogue.atOrigin.scale = &origin;
  ProductBlock& block = prepared.block;
  block.taps = first.taps;
  block.outPitch = step.epilogueForm.isWhole ? first.outPitch : step.out(0).columns();  // the latter of the sums
  for (PanelProduct range : ranges) {
    range.right = range.out = &origin;
    range.outPitch = block.outPitch;
    range.epilogue = &epilogue;
    const DepthPieces pieces(kernels, range);
    if (range.rows * pieces.count() > mostPreparedPointers) {
      prepared = {};
      return false;
    }
    Plan plan{range, pieces, prepared};
    forTiles(kernels, range, &plan, planTiles, pieces.count(), rowsAtOnce(range.k()));
  }
  if (step.epilogueForm.has(EpiloguePart::residual))
    prepared.epilogue.residualPitch = step.in(step.epilogueForm.input(EpiloguePart::residual)).rowPitch();
  if (step.epilogueForm.isRelu) prepared.epilogue.low = 0;
  return true;
}

[[gnu::cold]] bool prepareEvenProduct(Step& step, std::span<const PanelProduct> ranges, std::int64_t pitch,
                                      std::span<const std::int64_t> pieces, std::int64_t piecePitch) {
  if (!prepareProduct(step, ranges)) return false;
  step.product.pitch = pitch;
  for (const std::int64_t piece : pieces) step.product.pieces.push_back(piece * piecePitch);
  step.product.point = pointEven;
  return true;
}

}  // namespace axle::runtime
