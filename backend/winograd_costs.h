// Which form of Winograd's algorithm (runtime/vector/winograd.h) computes a convolution in the least time.
#pragma once

#include <cstdint>

namespace axle {

// A convolution of images by windows of 3 x 3; height and width are those of the results.
struct WindowedImages {
  std::int64_t images = 1, height = 0, width = 0, channels = 0, columns = 0;
};

// Returns the tile of the fastest form, or a smaller one if it is nearly as fast; 0 if products with all pixels take
// less time.
std::int64_t fastestWinogradTile(const WindowedImages& conv);

}  // namespace axle
