// The arithmetic of windows along one axis: convolutions, pools, patches, frames, and transposed convolutions.
//
// `sizes` is a DimStore (for dimensions) or PlainSizes (for integers). If an axis is shorter than a window, kernels
// compute no positions (`sizeAtLeast(sizes, windowPositions(...), 0)`); the checker asks for a fact instead.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "dims/arithmetic.h"

namespace axle {

// Unchecked arithmetic on integers: the caller bounds the operands so that results fit.
struct PlainSizes {
  using Size = std::int64_t;
  static constexpr Size constant(std::int64_t value) { return value; }
  static constexpr Size add(Size a, Size b) { return a + b; }
  static constexpr Size sub(Size a, Size b) { return a - b; }
  static constexpr Size mul(Size a, Size b) { return a * b; }
  static constexpr Size div(Size a, Size b) { return floorDiv(a, b); }
  static constexpr Size ceildiv(Size a, Size b) { return ceilDiv(a, b); }
  static constexpr Size max(Size a, Size b) { return a < b ? b : a; }
  static constexpr std::optional<std::int64_t> asConstant(Size a) { return a; }
};

template <class Sizes, class Size>
constexpr Size sizeAtLeast(Sizes&& sizes, Size size, std::int64_t least) {
  return sizes.max(size, sizes.constant(least));
}

// Returns the span of `count` windows of `extent`, one every `stride` elements: (count - 1)*stride + extent.
template <class Sizes, class Size>
constexpr Size windowSpan(Sizes&& sizes, Size count, Size stride, Size extent) {
  return sizes.add(sizes.mul(stride, sizes.sub(count, sizes.constant(1))), extent);
}

// Returns the extent of a window of `taps` with `dilation` elements from tap to tap: dilation*(taps - 1) + 1.
template <class Sizes, class Size>
constexpr Size windowExtent(Sizes&& sizes, Size taps, Size dilation) {
  return windowSpan(sizes, taps, dilation, sizes.constant(1));
}

// Returns the size of an axis with spread - 1 zeros inserted between its elements.
template <class Sizes, class Size>
constexpr Size spreadSize(Sizes&& sizes, Size size, Size spread) {
  if (sizes.asConstant(spread) == 1) return size;
  return sizeAtLeast(sizes, windowExtent(sizes, size, spread), 0);
}

// Returns how many windows fit an axis of `size` with `around` elements of padding in total: (size + around -
// extent)/stride + 1. At most 0 if the axis is shorter than a window.
template <class Sizes, class Size>
constexpr Size windowPositions(Sizes&& sizes, Size size, Size around, Size extent, Size stride) {
  return sizes.add(sizes.div(sizes.sub(sizes.add(size, around), extent), stride), sizes.constant(1));
}

// Returns the number of windows under "same" padding, which does not depend on their extent: ceildiv(size, stride).
template <class Sizes, class Size>
constexpr Size samePaddedPositions(Sizes&& sizes, Size size, Size stride) {
  return sizes.ceildiv(size, stride);
}

// Returns the "same" padding before and after the axis, for windows at `count` positions; an odd element goes after it,
// as in TensorFlow. The padding is negative for windows without taps, whose extent is below 1, so that they have as
// many positions as others.
template <class Sizes, class Size>
constexpr std::pair<Size, Size> samePaddingOf(Sizes&& sizes, Size size, Size count, Size extent, Size stride) {
  const Size least = sizes.sub(sizes.constant(0), sizeAtLeast(sizes, sizes.sub(sizes.constant(1), extent), 0));
  const Size around = sizes.max(sizes.sub(windowSpan(sizes, count, stride, extent), size), least);
  const Size before = sizes.div(around, sizes.constant(2));
  return {before, sizes.sub(around, before)};
}

// ---- transposed convolutions: `count` is the size of the image that they enlarge -----------------------------------

enum class WindowPadding : std::uint8_t { same, valid, explicitly };

// same: count*stride; valid: count*stride + max(extent - stride, 0); explicitly: the span less the padding.
template <class Sizes, class Size>
constexpr Size transposedWindowSize(Sizes&& sizes, WindowPadding padding, Size count, Size around, Size extent,
                                    Size stride) {
  if (padding == WindowPadding::explicitly) return sizes.sub(windowSpan(sizes, count, stride, extent), around);
  const Size stretched = sizes.mul(count, stride);
  if (padding == WindowPadding::same) return stretched;
  return sizes.add(stretched, sizeAtLeast(sizes, sizes.sub(extent, stride), 0));
}

// Returns the padding with which a convolution of the image, spread by `stride`, with the reversed filter gives `size`
// elements. `before` is the padding of the convolution that is transposed.
template <class Sizes, class Size>
constexpr std::pair<Size, Size> transposedWindowPadding(Sizes&& sizes, Size size, Size count, Size before, Size extent,
                                                        Size stride) {
  const Size reach = sizes.sub(extent, sizes.constant(1)), front = sizes.sub(reach, before);
  const Size spread = spreadSize(sizes, count, stride);
  return {front, sizes.sub(sizes.add(size, reach), sizes.add(spread, front))};
}

}  // namespace axle
