#include "runtime/kernels/products.h"

#include <algorithm>

namespace axle::runtime {

RegisterEpilogue registerEpilogue(const Step& step) {
  const EpilogueForm& form = step.epilogueForm;
  RegisterEpilogue found;
  found.isWhole = form.isWhole;
  ProductEpilogue& parts = found.atOrigin;
  const auto elementsOf = [&](int input) { return step.in(input).as<float>(); };
  if (form.has(EpiloguePart::scale)) parts.scale = elementsOf(form.input(EpiloguePart::scale));
  if (form.has(EpiloguePart::bias)) parts.bias = elementsOf(form.input(EpiloguePart::bias));
  if (form.has(EpiloguePart::residual)) {
    const int input = form.input(EpiloguePart::residual);
    parts.residual = elementsOf(input), parts.residualPitch = step.in(input).rowPitch();
  }
  if (form.isRelu) parts.low = 0;
  if (form.has(EpiloguePart::low)) parts.low = *elementsOf(form.input(EpiloguePart::low));
  if (form.has(EpiloguePart::high)) parts.high = *elementsOf(form.input(EpiloguePart::high));
  return found;
}

GridPart partOf(const Step& step, const PanelProduct& product, Part part) {
  if (part.count == 1) return {};
  const ProductKernels& kernels = AXLE_KERNELS_IN_USE(products);
  const std::int64_t panels = panelsOf(product.columns), rows = products::nextShape(kernels, product, panels).rows;
  return step.team->partOfGrid(part, (product.rows + rows - 1) / rows, products::groupsOf(kernels, product));
}

namespace products {

std::int64_t groupsOf(const ProductKernels& kernels, const PanelProduct& product) {
  const std::int64_t panels = panelsOf(product.columns);
  std::int64_t groups = 0;
  for (std::int64_t panel = 0; panel < panels; ++groups) panel += nextShape(kernels, product, panels - panel).panels;
  return groups;
}

std::int64_t panelOfGroup(const ProductKernels& kernels, const PanelProduct& product, std::int64_t group) {
  const std::int64_t panels = panelsOf(product.columns);
  std::int64_t panel = 0;
  for (; group > 0; --group) panel += nextShape(kernels, product, panels - panel).panels;
  return panel;
}

const ProductShape& nextShape(const ProductKernels& kernels, const PanelProduct& product, std::int64_t left) {
  if (product.narrow != nullptr) return *product.narrow;
  for (std::int64_t i = 0; i < kernels.count; ++i) {
    const ProductShape& shape = kernels.shapes[i];
    if (shape.panels > 2 && product.rows > shape.rows && shape.panels * product.panelBytes() > largestBlockBytes)
      continue;
    if (shape.panels <= left && (left != shape.panels + 1 || shape.panels < 3)) return shape;
  }
  return kernels.shapes[kernels.count - 1];
}

void planFetches(const PanelProduct& product, const ProductShape& shape, PanelGroup& group, std::int64_t end,
                 std::int64_t tiles) {
  const auto share = [](std::int64_t elements, std::int64_t among) {
    return std::min(panelWidth, (elements + among - 1) / among);
  };
  const std::int64_t panels = end - group.last, blocks = (group.last - group.first) / shape.panels,
                     k = product.taps * product.depth;
  group.fetched = product.right + group.first * product.panelPitch;
  if (panels > 0 && product.rightPitch == panelWidth) {
    group.fetched = product.right + group.last * product.panelPitch;
    group.fetchedEnd = group.fetched + panels * product.panelPitch;
    group.fetchPitch = share(panels * panelWidth, tiles * blocks);
  } else if (k > 0 && group.last - group.first == panelsOf(product.outPitch)) {
    group.resultPitch = share(shape.rows * product.outPitch, blocks * k);
  }
}

void beginTiles(const PanelProduct& product, const Tiles& tiles, PanelGroup& group) {
  if (group.resultPitch == 0) return;
  const std::int64_t all = tiles.rows * tiles.tiles;
  group.fetched = product.out + (product.firstRow - product.outRow + tiles.row + all) * product.outPitch;
  group.fetchedEnd = group.fetched + all * product.outPitch;
  group.fetchPitch = tiles.row + 2 * all <= product.rows ? group.resultPitch : 0;
}

void setBlock(ProductBlock& block, const PanelProduct& product, const ProductShape& shape, std::int64_t panel,
              const Tiles& tiles, PanelGroup& group) {
  const std::int64_t fetches = product.k() * tiles.tiles;
  block.right = product.right + panel * product.panelPitch;
  block.columns = std::min(shape.panels * panelWidth, product.columns - panel * panelWidth);
  block.fetched = group.fetched;
  block.fetchPitch = group.fetchPitch;
  group.fetched += group.fetchPitch * fetches;
  if (group.fetchedEnd - group.fetched < group.fetchPitch * fetches) group.fetchPitch = 0;
}

bool runTiles(const PanelProduct& product, const ProductShape& shape, const float* const* table, const Tiles& tiles,
              PanelGroup& group, Fault& fault) {
  alignas(tensorAlignment) float sums[maxProductSums];
  ProductBlock block;
  const bool inRegisters = product.epilogue->isWhole;
  const std::int64_t k = product.k(), rows = tiles.rows, all = rows * tiles.tiles;
  static constexpr const float* none[mostRowsAtOnce] = {};
  block.rows = k > 0 ? table : none;
  block.taps = k > 0 ? product.taps : 1;
  block.blocks = tiles.tiles;
  block.depth = k > 0 ? product.depth : 0;
  block.rightPitch = product.rightPitch;
  block.panelPitch = product.panelPitch;
  const ProductKernel kernel = shape.kernels[rows - 1];
  beginTiles(product, tiles, group);
  for (std::int64_t panel = group.first; panel < group.last; panel += shape.panels) {
    const std::int64_t column = product.firstColumn + panel * panelWidth;
    const std::int64_t at = product.firstRow + tiles.row;
    setBlock(block, product, shape, panel, tiles, group);
    if (inRegisters) {
      block.out = product.out + (at - product.outRow) * product.outPitch + column;
      block.outPitch = product.outPitch;
      block.epilogue = product.epilogue->from(at, column);
      kernel(block);
      continue;
    }
    block.out = sums;
    block.outPitch = shape.panels * panelWidth;
    block.blocks = 1;
    for (std::int64_t first = 0; first < all; first += rows) {
      block.rows = k > 0 ? table + first * product.taps : none;
      kernel(block);
      for (std::int64_t i = 0; i < rows; ++i)
        if (!product.results->store(sums + i * block.outPitch, at + first + i, column, block.columns, fault))
          return false;
    }
  }
  return true;
}

// Moves pointers of rows by so many elements, to the next piece or group of channels.
void movePointers(const LeftRows& left, std::int64_t count, std::int64_t elements) {
  for (std::int64_t i = 0; i < count; ++i) left.table[i] += elements;
}

void runTile(const ProductKernels& kernels, const PanelProduct& product, const float* const* table) {
  ProductBlock block;
  block.rows = table;
  block.taps = product.taps, block.depth = product.depth;
  block.rightPitch = product.rightPitch, block.panelPitch = product.panelPitch;
  block.right = product.right;
  block.out = product.out + (product.firstRow - product.outRow) * product.outPitch + product.firstColumn;
  block.outPitch = product.outPitch;
  block.epilogue = product.epilogue->from(product.firstRow, product.firstColumn);
  for (std::int64_t left = product.columns; left > 0;) {
    const ProductShape& shape = nextShape(kernels, product, panelsOf(left));
    const std::int64_t width = shape.panels * panelWidth;
    block.fetched = block.right;
    block.columns = std::min(width, left);
    shape.kernels[product.rows - 1](block);
    left -= width;
    block.right += shape.panels * product.panelPitch;
    block.out += width;
    if (block.epilogue.scale != nullptr) block.epilogue.scale += width;
    if (block.epilogue.bias != nullptr) block.epilogue.bias += width;
    if (block.epilogue.residual != nullptr) block.epilogue.residual += width;
  }
}

bool forTiles(const ProductKernels& kernels, const PanelProduct& product, void* context, VisitTiles visit,
              std::int64_t pieces, std::int64_t rows) {
  const std::int64_t panels = panelsOf(product.columns), panelBytes = product.panelBytes();
  std::int64_t panel = 0, end = panels;
  if (product.part.columns.count > 1) {
    const std::int64_t groups = groupsOf(kernels, product);
    panel = panelOfGroup(kernels, product, product.part.columns.begin(groups));
    end = panelOfGroup(kernels, product, product.part.columns.end(groups));
  }
  while (panel < end) {
    const ProductShape& shape = nextShape(kernels, product, panels - panel);
    std::int64_t last = panel + shape.panels;
    while (pieces == 1 && last < end && &nextShape(kernels, product, panels - last) == &shape &&
           (last + shape.panels - panel) * panelBytes <= cachedBytes)
      last += shape.panels;
    const std::int64_t tiles = (product.rows + shape.rows - 1) / shape.rows, rowsOfTile = product.rows / tiles,
                       firstLargerTile = tiles - product.rows % tiles;
    const std::int64_t firstTile = product.part.rows.begin(tiles), lastTile = product.part.rows.end(tiles);
    PanelGroup group{panel, last};
    if (lastTile - firstTile > 1 && product.channelGroups == 1)
      planFetches(product, shape, group, std::min(end, last + (last - panel)), lastTile - firstTile);
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      std::int64_t row = rowOfTile(product.rows, tiles, firstTile);
      for (std::int64_t tile = firstTile; tile < lastTile;) {
        const std::int64_t count = rowsOfTile + (tile >= firstLargerTile ? 1 : 0),
                           alike = (tile < firstLargerTile ? std::min(firstLargerTile, lastTile) : lastTile) - tile,
                           tilesNow = std::clamp<std::int64_t>(rows / count, 1, alike);
        if (!visit(context, shape, group, Tiles{row, count, tilesNow, piece})) return false;
        row += count * tilesNow;
        tile += tilesNow;
      }
    }
    panel = last;
  }
  return true;
}

}  // namespace products

bool runProduct(const PanelProduct& product, const LeftRows& left, Fault& fault) {
  using namespace products;
  const ProductKernels& kernels = AXLE_KERNELS_IN_USE(products);
  // Shapes of fewer panels have more rows.
  if (product.rows <= (product.narrow != nullptr ? *product.narrow : kernels.shapes[0]).rows && product.rows > 0 &&
      product.epilogue->isWhole && product.part.rows.count == 1 && product.part.columns.count == 1 &&
      product.taps * product.depth > 0) {
    left.pointAt(left.context, 0, product.rows, left.table, 0);
    for (std::int64_t i = 0; i < product.channelGroups; ++i) {
      if (i > 0) movePointers(left, product.rows * product.taps, product.depth);
      runTile(kernels, product.ofChannelGroup(i), left.table);
    }
    return true;
  }
  const DepthPieces pieces(kernels, product);
  struct Run {
    const PanelProduct& product;
    const LeftRows& left;
    const DepthPieces& pieces;
    Fault& fault;
  } run{product, left, pieces, fault};
  const auto runAll = [](void* context, const ProductShape& shape, PanelGroup& group, const Tiles& tiles) {
    const auto& [product, left, pieces, fault] = *static_cast<Run*>(context);
    for (std::int64_t t = 0; t < tiles.tiles; ++t)
      left.pointAt(left.context, tiles.row + t * tiles.rows, tiles.rows, left.table + t * tiles.rows * product.taps,
                   t * tiles.rows);
    if (tiles.piece > 0) movePointers(left, tiles.tiles * tiles.rows, pieces.begin(tiles.piece));
    RegisterEpilogue epilogue;
    const PanelProduct piece = pieces.at(tiles.piece, epilogue);
    if (product.channelGroups == 1) return runTiles(piece, shape, left.table, tiles, group, fault);
    for (std::int64_t i = 0; i < product.channelGroups; ++i) {
      if (i > 0) movePointers(left, tiles.tiles * tiles.rows * product.taps, product.depth);
      if (!runTiles(piece.ofChannelGroup(i), shape, left.table, tiles, group, fault)) return false;
    }
    return true;
  };
  const bool isInPieces = pieces.count() > 1 || product.isPiece;
  const std::int64_t rows =
      left.hasRoom && (isInPieces || product.channelGroups > 1) ? mostRowsAtOnce : rowsAtOnce(product.k());
  return forTiles(kernels, product, &run, runAll, pieces.count(), rows);
}

bool runEvenRows(const PanelProduct& product, const float* left, std::int64_t pitch, Fault& fault,
                 std::span<const std::int64_t> pieces, std::int64_t piecePitch) {
  static_assert(rowsAtOnce(fewestElements) <= mostPieces * maxProductRows);
  static_assert(mostRowsAtOnce <= mostPieces * maxProductRows);
  const float* table[mostPieces * maxProductRows];
  struct Even {
    const float* left;
    std::int64_t pitch, piecePitch;
    std::span<const std::int64_t> pieces;
  } even{left, pitch, piecePitch, pieces};
  const auto pointAt = [](void* context, std::int64_t row, std::int64_t count, const float** to, std::int64_t) {
    const Even& rows = *static_cast<const Even*>(context);
    for (const std::int64_t piece : rows.pieces) {
      const float* at = rows.left + row * rows.pitch + piece * rows.piecePitch;
      for (std::int64_t i = 0; i < count; ++i, at += rows.pitch) *to++ = at;
    }
  };
  return runProduct(product, {pointAt, &even, table, true}, fault);
}

}  // namespace axle::runtime
