// Tiles of convolutions with windows of 3 x 3 by Winograd's algorithm F(t x t, 3 x 3) (Lavin and Gray, "Fast Algorithms
// for Convolutional Neural Networks"): (t + 2)^2 products for t^2 results instead of 9 t^2. Larger tiles need fewer
// products, and more of the filter's transformation and of the digits. The points are 0, 1 and -1 for tiles of 2,
// also 1/2 and -2 for tiles of 4, and also -1/2 and 2 for tiles of 6.
#pragma once

#include "runtime/vector/product.h"

namespace axle::runtime {

inline constexpr std::int64_t winogradWindow = 3;  // taps along an axis
inline constexpr std::int64_t winogradTaps = winogradWindow * winogradWindow;

// Pixels and transformed elements of a tile, along an axis and of a channel.
constexpr std::int64_t winogradSize(std::int64_t tile) { return tile + winogradWindow - 1; }
constexpr std::int64_t winogradElements(std::int64_t tile) { return winogradSize(tile) * winogradSize(tile); }
constexpr std::int64_t winogradTiles(std::int64_t tile, std::int64_t results) { return (results + tile - 1) / tile; }

inline constexpr std::int64_t largestWinogradTile = 6;

// The most tiles, panels and channels that are multiplied at once. A small filter is one block, which is transformed
// only once; the blocks of a larger one are transformed for each block of tiles.
struct WinogradBlock {
  std::int64_t tiles, panels, channels;
};
inline constexpr std::int64_t mostWinogradPanels = 4;
constexpr WinogradBlock winogradBlock(std::int64_t panels, std::int64_t channels) {
  constexpr std::int64_t mostTiles = 64, mostChannels = 64;
  const bool isSmall = panels <= mostWinogradPanels && channels <= mostChannels;
  return {isSmall ? mostTiles / 2 : mostTiles, mostWinogradPanels, mostChannels};
}

// A panel of a filter to transform: for each channel, panelWidth columns of the window's nine taps.
struct WinogradFilter {
  const float* taps = nullptr;  // the channels of the first tap
  std::int64_t tapPitch = 0;    // from one tap to the next
  std::int64_t channels = 0;
  float* to = nullptr;     // the channels of the first element
  std::int64_t pitch = 0;  // from one element to the next
};

// The pixels under a tile to transform.
struct WinogradInput {
  const float* const* pixels = nullptr;  // [winogradElements(tile)]
  std::int64_t firstChannel = 0, channels = 0;
  float* to = nullptr;     // the channels of the first element
  std::int64_t pitch = 0;  // from one element to the next
};

// The sums of a tile's transformed products, and the place of its results.
struct WinogradOutput {
  const float* from = nullptr;  // the channels of the first element
  std::int64_t pitch = 0;       // from one element to the next
  std::int64_t channels = 0;
  std::int64_t rows = 0, columns = 0;  // stored
  float* out = nullptr;
  std::int64_t outPitch = 0, outRowPitch = 0;  // from one column to the next, and from one row to the next
  ProductEpilogue epilogue;                    // at the tile's first result
  std::int64_t residualRowPitch = 0;
};

struct WinogradKernels {
  void (*filter)(const WinogradFilter&);
  void (*input)(const WinogradInput&);
  void (*output)(const WinogradOutput&);
};

AXLE_KERNEL_SETS(WinogradKernels, winogradF2)
AXLE_KERNEL_SETS(WinogradKernels, winogradF4)
AXLE_KERNEL_SETS(WinogradKernels, winogradF6)

}  // namespace axle::runtime
