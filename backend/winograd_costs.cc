#include "backend/winograd_costs.h"

#include <algorithm>

#include "runtime/vector/winograd.h"

namespace axle {
namespace {

using runtime::panelsOf;
using runtime::panelWidth;
using runtime::winogradElements;
using runtime::winogradSize;
using runtime::winogradTaps;

// Times, of which the unit is the product of a row with one channel of a panel. They were fitted to single layers on
// x86-64 with AVX-512, whose filters came from memory: 37 layers of 5 x 5 to 112 x 112 pixels and 16 to 512 channels,
// in each form, took within a quarter of the estimate, most within a tenth.
constexpr double transformedElement = 2.7;  // for each element along an axis: of a vector of the image or of results
constexpr double fromLargerCache = 32;      // added for elements that are not in the second-level cache
constexpr double cacheBytes = 1 << 20;
constexpr double addedSums = 4;                      // of a vector, for each block of channels
constexpr double filterTap = 16, filterElement = 6;  // of a vector of the filter: to read it, and to write it
constexpr std::int64_t rowsAtOnce = 4;               // of a product
constexpr double missingRow = 0.6;                   // the time of a row that the last ones lack

// Larger tiles need more memory, so they are used only where they take at most this share of the time of smaller ones.
constexpr double enoughGain = 0.92;

// Images so large are not estimated more closely; the limit keeps products of sizes representable.
constexpr std::int64_t enoughResults = 1000;

std::int64_t blocksOf(std::int64_t items, std::int64_t most) { return (items + most - 1) / most; }

double product(std::int64_t rows, double depth) {
  const std::int64_t missing = blocksOf(rows, rowsAtOnce) * rowsAtOnce - rows;
  return (static_cast<double>(rows) + missingRow * static_cast<double>(missing)) * depth;
}

// Vectors of this many floats; the last ones are transformed one by one.
double vectorsOf(std::int64_t floats) {
  const std::int64_t vectors = floats / panelWidth;
  return static_cast<double>(vectors + floats % panelWidth);
}

double timeOfTiles(const WindowedImages& conv, std::int64_t tile) {
  const std::int64_t tiles =
      conv.images * runtime::winogradTiles(tile, conv.height) * runtime::winogradTiles(tile, conv.width);
  const runtime::WinogradBlock block = runtime::winogradBlock(panelsOf(conv.columns), conv.channels);
  const std::int64_t groups = blocksOf(panelsOf(conv.columns), block.panels),
                     blocks = blocksOf(conv.channels, block.channels);
  const auto elements = static_cast<double>(winogradElements(tile)),
             panels = static_cast<double>(panelsOf(conv.columns)), channels = static_cast<double>(conv.channels),
             allElements = elements * static_cast<double>(tiles);
  const double imageBytes = elements * static_cast<double>(std::min(tiles, block.tiles)) * channels * sizeof(float);
  const std::int64_t filters = groups * blocks == 1 ? 1 : blocksOf(tiles, block.tiles);
  const double transformation =
      transformedElement * static_cast<double>(winogradSize(tile)) + (imageBytes > cacheBytes ? fromLargerCache : 0);
  return product(tiles, elements * channels * panels) + allElements * panels * static_cast<double>(blocks) * addedSums +
         allElements * (vectorsOf(conv.channels) + vectorsOf(conv.columns)) * transformation +
         static_cast<double>(filters) * channels * panels * (winogradTaps * filterTap + elements * filterElement);
}

double timeOfPixels(const WindowedImages& conv) {
  return product(conv.images * conv.height * conv.width,
                 static_cast<double>(winogradTaps * conv.channels * panelsOf(conv.columns)));
}

}  // namespace

std::int64_t fastestWinogradTile(const WindowedImages& conv) {
  WindowedImages estimated = conv;
  for (std::int64_t* size : {&estimated.images, &estimated.height, &estimated.width})
    *size = std::min(*size, enoughResults);
  std::int64_t fastest = 0;
  double least = timeOfPixels(estimated);
  for (const std::int64_t tile : {2, 4, 6})
    if (const double time = timeOfTiles(estimated, tile); time < least * (fastest == 0 ? 1 : enoughGain))
      least = time, fastest = tile;
  return fastest;
}

}  // namespace axle
