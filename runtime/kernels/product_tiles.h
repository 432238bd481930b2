// In which order a product's tiles of rows and groups of panels run.
#pragma once

#include <algorithm>

#include "runtime/kernels/products.h"

namespace axle::runtime::products {

// Calls visit(shape, group, tiles) for the part of the product, until one returns false. `pieces`: of the depth, for each of
// which a block of panels passes all rows.
template <class Visit>
bool forTiles(const ProductKernels& kernels, const PanelProduct& product, Visit visit, std::int64_t pieces = 1) {
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
    if (lastTile - firstTile > 1)
      planFetches(product, shape, group, std::min(end, last + (last - panel)), lastTile - firstTile);
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      std::int64_t row = rowOfTile(product.rows, tiles, firstTile);
      for (std::int64_t tile = firstTile; tile < lastTile;) {
        const std::int64_t count = rowsOfTile + (tile >= firstLargerTile ? 1 : 0),
                           alike = (tile < firstLargerTile ? std::min(firstLargerTile, lastTile) : lastTile) - tile,
                           tilesNow = std::clamp<std::int64_t>(rowsAtOnce(product.k()) / count, 1, alike);
        if (!visit(shape, group, Tiles{row, count, tilesNow, piece})) return false;
        row += count * tilesNow;
        tile += tilesNow;
      }
    }
    panel = last;
  }
  return true;
}

}  // namespace axle::runtime::products
