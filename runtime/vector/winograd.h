// Tiles of convolutions with windows of 3 x 3 by Winograd's algorithm F(4 x 4, 3 x 3) (Lavin and Gray, "Fast Algorithms
// for Convolutional Neural Networks"), with the points 0, 1, -1, 1/2, -2: 36 products for 16 results instead of 144.
#pragma once

#include "runtime/vector/product.h"

namespace axle::runtime {

inline constexpr std::int64_t winogradWindow = 3;  // taps along an axis
inline constexpr std::int64_t winogradTaps = winogradWindow * winogradWindow;
inline constexpr std::int64_t winogradTile = 4;                                  // results along an axis
inline constexpr std::int64_t winogradSize = winogradTile + winogradWindow - 1;  // pixels, and transformed elements
inline constexpr std::int64_t winogradElements = winogradSize * winogradSize;    // per tile and channel

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
  const float* const* pixels = nullptr;  // [winogradElements]
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

AXLE_KERNEL_SETS(WinogradKernels, winograd)

}  // namespace axle::runtime
