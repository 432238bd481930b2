// Windows of convolutions and pools along one spatial axis.
#pragma once

#include <algorithm>
#include <cstdint>

namespace axle::runtime {

// Sizes and attributes of windows stay below this, so that none of the arithmetic on them overflows.
inline constexpr std::int64_t windowLimit = std::int64_t{1} << 31;

struct Range {
  std::int64_t begin, end;
};

struct Window {
  std::int64_t input, size, stride, before, after, dilation;

  bool valid() const {
    for (std::int64_t number : {input, size, before, after})
      if (number < 0 || number >= windowLimit) return false;
    return stride >= 1 && stride < windowLimit && dilation >= 1 && dilation < windowLimit;
  }

  // (input + before + after - e) / stride + 1 with e = dilation*(size - 1) + 1, and never negative.
  std::int64_t output() const {
    const std::int64_t room = input + before + after - (dilation * (size - 1) + 1);
    return room < 0 ? 0 : room / stride + 1;
  }

  // Where the window of output `at` begins, in the input; negative inside the padding.
  std::int64_t start(std::int64_t at) const { return at * stride - before; }

  // The taps of that window that fall inside of the input.
  Range inside(std::int64_t at) const {
    const std::int64_t from = start(at);
    const std::int64_t begin = from >= 0 ? 0 : (-from + dilation - 1) / dilation;
    const std::int64_t end = from >= input ? 0 : (input - from + dilation - 1) / dilation;
    return {begin, std::max(begin, std::min(size, end))};
  }
};

}  // namespace axle::runtime
