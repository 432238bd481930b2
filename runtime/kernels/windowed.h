// The elements under the windows of a convolution of f32, channels last, as rows of a product: pointers to the pixels
// under the taps, or the pixels copied together.
#pragma once

#include <algorithm>
#include <cstring>

#include "runtime/bundle_format.h"
#include "runtime/kernels/pixels.h"
#include "runtime/vector/product.h"

namespace axle::runtime {

inline constexpr int mostAxes = 3;
// Below this many elements a tap's product is too short to be worth a pointer: then the taps of a row of the window are
// one piece, or, where they do not follow each other in the image, the window's elements are copied together.
inline constexpr std::int64_t fewChannels = 16;
// Rows of a window with fewer elements are copied together as well, if the image is small.
inline constexpr std::int64_t shortestPiece = 8;

// What the pieces of a product's row are: the pixels under each tap, the rows of the window, or one copy of all.
enum class Reading : std::uint8_t { taps, rows, copies };

struct Geometry {
  Window axis[mostAxes];  // missing ones, in front, have size 1
  std::int64_t input[mostAxes], output[mostAxes], window[mostAxes];
  std::int64_t images = 0, pitch = 0, depth = 0, width = 0, groups = 1, taps = 1;
  bool isDepthwise = false;  // each channel is a group; `depth` counts all of them
  bool isPadded = false;     // the input is a copy that has its padding
  Reading reading = Reading::taps;

  std::int64_t pixels() const { return images * output[0] * output[1] * output[2]; }
  bool hasFewChannels() const { return !isDepthwise && depth < fewChannels && window[2] > 1; }
  bool readsRows() const { return reading == Reading::rows; }
  bool gathers() const { return reading == Reading::copies; }
  std::int64_t pieces() const { return gathers() ? 1 : readsRows() ? taps / window[2] : taps; }
  std::int64_t pieceDepth() const { return (gathers() ? taps : readsRows() ? window[2] : 1) * depth; }
  // Of a small image with few channels: a copy with its padding, of which no window is cut off at the border.
  bool canBePadded() const;
  Geometry padded() const;
  std::int64_t inputElements() const { return input[0] * input[1] * input[2] * depth; }

  // Elements of its own memory that the rows of a product may lie in.
  std::int64_t copied(std::int64_t rows) const {
    return gathers() ? rows * pieceDepth() : readsRows() ? (rows * pieces() + 1) * pieceDepth() : depth;
  }
};

// Of a step with the attributes of CONV and up to mostAxes axes. `window`: the filter's sizes; `depth`: the channels of
// a group.
Geometry geometryOf(const Step& step, const std::int64_t* window, std::int64_t depth, bool isDepthwise = false);

// Whether the step's windows fit its shapes. `window` has the filter's sizes. Returns the error, or null.
const char* checkGeometry(const Step& step, const std::int64_t* window);

// How a 2-D convolution runs row by row.
ByRows byRowsOf(const Geometry& g, RowOfImage* kernel, std::uint64_t nanoseconds, std::uint64_t workspaceBytes);

// A position of the window: which image, and where its first tap lies along each axis, perhaps outside.
struct WindowPlace {
  std::int64_t image, first[mostAxes];
};

class Windowed {
 public:
  // `most`: rows that are asked for at once.
  // `kept`: as in RowCall; then only rows of image 0 are asked for.
  Windowed(const Geometry& g, const float* input, std::byte* workspace, std::int64_t most, std::int64_t kept = 0);

  static std::uint64_t tableBytes(const Geometry& g, std::int64_t most) {
    return alignUp(static_cast<std::uint64_t>(g.pieces() * most) * sizeof(float*));
  }
  static std::uint64_t offsetBytes(const Geometry& g) { return alignUp(static_cast<std::uint64_t>(g.taps) * 8); }
  static std::uint64_t workspaceBytes(const Geometry& g, std::int64_t most) {
    return tableBytes(g, most) + offsetBytes(g) + alignUp(static_cast<std::uint64_t>(g.copied(most)) * sizeof(float));
  }

  const float** table() const { return table_; }

  // For runProduct: the rows of a group's product are the result's pixels. `before`: pixels in front that are asked for
  // at the same time.
  void rowsAt(std::int64_t pixel, std::int64_t count, std::int64_t group, const float** table,
              std::int64_t before = 0) {
    const float* const channels = input_ + group * g_.depth;
    if (isPixelwise_) {
      if (kept_ != 0) pixel %= kept_ * g_.output[2];
      for (std::int64_t row = 0; row < count; ++row) table[row] = channels + (pixel + row) * g_.pitch;
      return;
    }
    if (pixel != nextPixel_) moveTo(pixel);
    for (std::int64_t row = 0, inside = 0; row < count; row += inside) {
      if (g_.gathers()) {
        float* const to = floats_ + (before + row) * g_.pieceDepth();
        gather(channels, to);
        table[row] = to;
        inside = 1;
      } else {
        inside = std::min(count - row, countInside());
        if (inside > 0)
          pointInside(channels, table + row, count, inside);
        else if (readsRows_)
          pointRows(channels, table + row, count, floats_ + ((before + row) * pieces_ + 1) * g_.pieceDepth());
        else
          point(channels, table + row, count, g_.window[2]);
        inside = std::max<std::int64_t>(inside, 1);
      }
      advance(inside);
    }
    nextPixel_ = pixel + count;
  }

  // The columns under the windows of `count` neighbouring results, for each row of the window. Only where the last axis
  // is not dilated. Returns how many pointers there are.
  std::int64_t columnsAt(std::int64_t pixel, std::int64_t count, const float** table) {
    if (pixel != nextPixel_) moveTo(pixel);
    const std::int64_t columns = (count - 1) * g_.axis[2].stride + g_.window[2];
    point(input_, table, 1, columns);
    advance(count);
    nextPixel_ = pixel + count;
    return g_.window[0] * g_.window[1] * columns;
  }
  // Whether the windows of `count` results from `pixel` on, of one row, are inside of the image.
  bool areInside(std::int64_t pixel, std::int64_t count) {
    if (pixel != nextPixel_) moveTo(pixel);
    const std::int64_t further[mostAxes] = {0, 0, (count - 1) * g_.axis[2].stride};
    for (int i = 0; i < mostAxes; ++i) {
      const Window& axis = g_.axis[i];
      if (place_.first[i] < 0 || place_.first[i] + further[i] + (axis.size - 1) * axis.dilation >= axis.input)
        return false;
    }
    return true;
  }
  // Past `count` results from `pixel` on, where the next one is asked for.
  void skip(std::int64_t pixel, std::int64_t count) {
    advance(count);
    nextPixel_ = pixel + count;
  }
  // How many results there are to the end of the row.
  std::int64_t leftInRow(std::int64_t pixel) const {
    return g_.output[2] - (pixel == nextPixel_ ? at_[2] : pixel % g_.output[2]);
  }

 private:
  void moveTo(std::int64_t pixel) {
    for (int i = mostAxes - 1; i >= 0; --i) {
      at_[i] = pixel % g_.output[i];
      pixel /= g_.output[i];
      place_.first[i] = at_[i] * g_.axis[i].stride - g_.axis[i].before;
    }
    place_.image = pixel;
  }

  // By `count` positions, no further than to the end of the row.
  void advance(std::int64_t count) {
    for (int i = mostAxes - 1; i >= 0; --i, count = 1) {
      place_.first[i] += count * g_.axis[i].stride;
      at_[i] += count;
      if (at_[i] < g_.output[i]) return;
      at_[i] = 0;
      place_.first[i] = -g_.axis[i].before;
    }
    ++place_.image;
  }

  // How many windows from here on, to the end of the row, are inside of the image.
  std::int64_t countInside() const {
    for (int i = 0; i < mostAxes; ++i)
      if (place_.first[i] < 0 || place_.first[i] > lastInside_[i]) return 0;
    return std::min(g_.output[2], lastInRow_ + 1) - at_[2];
  }

  void pointInside(const float* channels, const float** to, std::int64_t count, std::int64_t windows) const {
    const float* const from = channels + elementAt(place_.first) * g_.pitch;
    const std::int64_t step = g_.axis[2].stride * g_.pitch;
    for (std::int64_t piece = 0; piece < pieces_; ++piece, to += count) {
      const float* at = from + offsets_[piece];
      for (std::int64_t i = 0; i < windows; ++i, at += step) to[i] = at;
    }
  }

  std::int64_t elementAt(const std::int64_t* at) const {
    const std::int64_t row = kept_ == 0 ? at[1] : at[1] % kept_;
    return ((place_.image * g_.input[0] + at[0]) * g_.input[1] + row) * g_.input[2] + at[2];
  }

  // Those of `columns` columns in each row of the window that are outside of the image point to zeros.
  void point(const float* channels, const float** to, std::int64_t count, std::int64_t columns) const {
    const Window& last = g_.axis[2];
    const std::int64_t step = last.dilation, first = place_.first[2];
    const std::int64_t begin = first >= 0 ? 0 : std::min((step - 1 - first) / step, columns),
                       end = first >= last.input ? begin
                                                 : std::clamp((last.input - first + step - 1) / step, begin, columns);
    std::int64_t at[mostAxes];
    at[2] = first;
    for (std::int64_t a = 0; a < g_.window[0]; ++a)
      for (std::int64_t b = 0; b < g_.window[1]; ++b) {
        at[0] = place_.first[0] + a * g_.axis[0].dilation;
        at[1] = place_.first[1] + b * g_.axis[1].dilation;
        const bool hasRow = at[0] >= 0 && at[0] < g_.input[0] && at[1] >= 0 && at[1] < g_.input[1];
        const std::int64_t from = hasRow ? begin : columns, until = hasRow ? end : columns;
        std::int64_t element = hasRow ? (elementAt(at) + begin * step) * g_.pitch : 0;
        std::int64_t c = 0;
        for (; c < from; ++c, to += count) *to = floats_;
        for (; c < until; ++c, to += count, element += step * g_.pitch) *to = channels + element;
        for (; c < columns; ++c, to += count) *to = floats_;
      }
  }

  // A piece is a row of the window. Where it is not whole inside of the image it is copied to `copies`.
  void pointRows(const float* channels, const float** to, std::int64_t count, float* copies) const {
    const Window& last = g_.axis[2];
    const std::int64_t row = last.size * g_.depth;
    const std::int64_t begin = std::clamp<std::int64_t>(-place_.first[2], 0, last.size),
                       end = std::clamp<std::int64_t>(last.input - place_.first[2], begin, last.size);
    std::int64_t at[mostAxes];
    at[2] = place_.first[2] + begin;
    for (std::int64_t a = 0; a < g_.window[0]; ++a)
      for (std::int64_t b = 0; b < g_.window[1]; ++b, to += count, copies += row) {
        at[0] = place_.first[0] + a * g_.axis[0].dilation;
        at[1] = place_.first[1] + b * g_.axis[1].dilation;
        const bool hasRow = at[0] >= 0 && at[0] < g_.input[0] && at[1] >= 0 && at[1] < g_.input[1] && begin < end;
        *to = floats_;
        if (!hasRow) continue;
        const float* const from = channels + elementAt(at) * g_.depth;
        *to = from;
        if (end - begin == last.size) continue;
        clear(copies, begin * g_.depth);
        copy(copies + begin * g_.depth, from, (end - begin) * g_.depth);
        clear(copies + end * g_.depth, row - end * g_.depth);
        *to = copies;
      }
  }

  static void copy(float* to, const float* from, std::int64_t count) {
    for (; count >= 4; count -= 4, to += 4, from += 4) std::memcpy(to, from, 4 * sizeof(float));
    for (; count > 0; --count) *to++ = *from++;
  }

  // A call of memset takes longer than the few elements of a row.
  static void clear(float* to, std::int64_t count) {
    constexpr float zeros[4] = {};
    for (; count >= 4; count -= 4, to += 4) std::memcpy(to, zeros, sizeof zeros);
    for (; count > 0; --count) *to++ = 0;
  }

  // Copies what lies under the window together.
  void gather(const float* channels, float* to) const;

  const Geometry& g_;
  const bool readsRows_ = g_.readsRows();
  const std::int64_t pieces_ = g_.pieces();
  const float* input_;
  const std::int64_t kept_;
  const float** table_;
  std::int64_t* offsets_;    // of the pieces from the first one, in elements; of a window that fits into the image
  float* floats_;            // zeros, then rows of windows; or the gathered rows
  bool isPixelwise_ = true;  // each result lies over one pixel, at the same place
  std::int64_t lastInside_[mostAxes];           // the last place of a window that is inside of the image,
  std::int64_t lastInRow_ = -1;                 // and the last result along a row whose window is
  std::int64_t nextPixel_ = -1, at_[mostAxes];  // the result's pixel whose place is next
  WindowPlace place_;
};

}  // namespace axle::runtime
