// Windows over all spatial axes of [n, ..sizes, c]: visits the positions of a window, and its taps at each position.
#pragma once

#include <algorithm>
#include <array>

#include "runtime/kernels/window.h"
#include "runtime/program.h"

namespace axle::runtime {

struct Windows {
  int rank = 0;  // spatial axes
  std::array<Window, maxRank> axis;

  bool valid() const {
    for (int i = 0; i < rank; ++i)
      if (!axis[static_cast<std::size_t>(i)].valid()) return false;
    return true;
  }

  // Whether a result of this shape has one element for each position.
  bool matchResult(const Shape& result) const {
    for (int i = 0; i < rank; ++i)
      if (result[i + 1] != axis[static_cast<std::size_t>(i)].output()) return false;
    return true;
  }
};

// The taps of the window at one position along each axis, and how many there are in all.
struct PixelTaps {
  std::array<Taps, maxRank> axis;
  std::int64_t count = 1;
};

// Returns the number of pixels of a result, in all images.
inline std::int64_t pixelsOf(const Windows& windows, const Shape& result) {
  std::int64_t pixels = result[0];
  for (int i = 0; i < windows.rank; ++i) pixels *= result[i + 1];
  return pixels;
}

// Calls pixel(image, index of the result's pixel, its taps) for the pixels [first, last) of the result.
template <class Pixel>
void forPixels(const Windows& windows, const Shape& result, std::int64_t first, std::int64_t last, Pixel pixel) {
  std::array<std::int64_t, maxRank> at{};
  PixelTaps taps;
  std::int64_t image = first;
  for (int i = windows.rank - 1; i >= 0 && first < last; --i) {
    at[static_cast<std::size_t>(i)] = image % result[i + 1];
    image /= result[i + 1];
  }
  int changed = 0;  // the outermost axis along which the window moved
  for (std::int64_t index = first; index < last; ++index) {
    for (int i = changed; i < windows.rank; ++i)
      taps.axis[static_cast<std::size_t>(i)] =
          windows.axis[static_cast<std::size_t>(i)].taps(at[static_cast<std::size_t>(i)]);
    taps.count = 1;
    for (int i = 0; i < windows.rank; ++i) taps.count *= taps.axis[static_cast<std::size_t>(i)].count;
    pixel(image, index, taps);
    for (changed = windows.rank - 1; changed >= 0; --changed) {
      if (++at[static_cast<std::size_t>(changed)] < result[changed + 1]) break;
      at[static_cast<std::size_t>(changed)] = 0;
    }
    if (changed < 0) ++image;
    changed = std::max(changed, 0);
  }
}

// Calls tap(element of the image, tap of the window), both row-major over the spatial axes.
template <class Tap>
void forTaps(const Windows& windows, const PixelTaps& taps, Tap tap) {
  const int last = windows.rank - 1;
  std::array<std::int64_t, maxRank> at{};
  const Taps& inner = taps.axis[static_cast<std::size_t>(last)];
  for (std::int64_t done = 0; done < taps.count; done += inner.count) {
    std::int64_t element = 0, which = 0;
    for (int i = 0; i < last; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const Taps& t = taps.axis[k];
      element = element * windows.axis[k].input + t.at + at[k] * t.atStep;
      which = which * windows.axis[k].size + t.first + at[k] * t.firstStep;
    }
    const Window& row = windows.axis[static_cast<std::size_t>(last)];
    element = element * row.input + inner.at;
    which = which * row.size + inner.first;
    for (std::int64_t i = 0; i < inner.count; ++i, element += inner.atStep, which += inner.firstStep)
      tap(element, which);
    for (int i = last - 1; i >= 0; --i) {
      if (++at[static_cast<std::size_t>(i)] < taps.axis[static_cast<std::size_t>(i)].count) break;
      at[static_cast<std::size_t>(i)] = 0;
    }
  }
}

}  // namespace axle::runtime
