// Windows of convolutions and pools along one spatial axis.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "dims/windows.h"

namespace axle::runtime {

// Sizes and attributes of windows are below this limit, so that arithmetic on them does not overflow.
inline constexpr std::int64_t windowLimit = std::int64_t{1} << 31;

// The `count` taps of a window that fall on elements of the input: the first is tap `first` on element `at`; each next
// one is `firstStep` taps and `atStep` elements further.
struct Taps {
  std::int64_t count, first, firstStep, at, atStep;
};

// A window that slides over the input, with spread - 1 zeros between the input's elements. Negative padding removes
// elements.
struct Window {
  std::int64_t input, size, stride, before, after, dilation, spread = 1;

  bool valid() const {
    if (input < 0 || input >= windowLimit || size < 0 || size >= windowLimit) return false;
    for (std::int64_t pad : {before, after})
      if (pad <= -windowLimit || pad >= windowLimit) return false;
    for (std::int64_t step : {stride, dilation, spread})
      if (step < 1 || step >= windowLimit) return false;
    return input < windowLimit / spread && size < windowLimit / dilation;
  }

  // Whether the window at each position covers just the input's element there.
  bool isIdentity() const { return size == 1 && stride == 1 && before == 0 && after == 0 && spread == 1; }

  std::int64_t extent() const { return spreadSize(PlainSizes(), input, spread); }

  // Returns the number of positions; 0 if the input is shorter than the window.
  std::int64_t output() const {
    const PlainSizes sizes;
    const std::int64_t reach = windowExtent(sizes, size, dilation);
    return sizeAtLeast(sizes, windowPositions(sizes, extent(), before + after, reach, stride), 0);
  }

  Taps taps(std::int64_t output) const {
    const std::int64_t from = output * stride - before;
    std::int64_t begin = from >= 0 ? 0 : (-from + dilation - 1) / dilation;
    const std::int64_t left = extent() - from;  // the next line avoids the division at most positions
    const std::int64_t end = left <= 0 ? 0 : (size - 1) * dilation < left ? size : (left + dilation - 1) / dilation;
    if (spread == 1) return {std::max<std::int64_t>(0, end - begin), begin, 1, from + begin * dilation, dilation};
    const std::int64_t period = spread / std::gcd(spread, dilation), last = std::min(end, begin + period);
    while (begin < last && (from + begin * dilation) % spread != 0) ++begin;
    if (begin >= last) return {0, 0, period, 0, 0};
    return {(end - begin + period - 1) / period, begin, period, (from + begin * dilation) / spread,
            period * dilation / spread};
  }
};

}  // namespace axle::runtime
