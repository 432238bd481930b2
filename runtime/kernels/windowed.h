// The elements under the windows of a convolution of f32, channels last, as rows of a product: pointers to the pixels
// under the taps, or the pixels copied together.
#pragma once

#include <algorithm>
#include <cstring>

#include "runtime/bundle_format.h"
#include "runtime/by_rows.h"
#include "runtime/kernels/pixels.h"
#include "runtime/vector/product.h"

namespace axle::runtime {

inline constexpr int mostAxes = 3;
// With fewer channels, a tap's product is too short to be worth a pointer. Then each row of the window is one piece,
// or, if its taps are not adjacent in the image, the window's elements are copied together.
inline constexpr std::int64_t fewChannels = 16;
// Rows of a window with fewer elements are copied together too, if the image is small.
inline constexpr std::int64_t shortestPiece = 8;

// The pieces of a product's row: the pixel under each tap, the rows of the window, or one copy of the whole window.
enum class Reading : std::uint8_t { taps, rows, copies };

struct Geometry {
  Window axis[mostAxes];  // missing leading axes have size 1
  std::int64_t input[mostAxes], output[mostAxes], window[mostAxes];
  std::int64_t images = 0, pitch = 0, depth = 0, width = 0, groups = 1, taps = 1;
  bool isDepthwise = false;  // each channel is a group; `depth` counts all of them
  bool isPadded = false;     // the input is a copy that includes the padding
  Reading reading = Reading::taps;

  std::int64_t pixels() const { return images * output[0] * output[1] * output[2]; }
  bool hasFewChannels() const { return !isDepthwise && groups == 1 && depth < fewChannels && window[2] > 1; }
  // Whether the taps in one row of a window are adjacent in memory.
  bool hasWholeRows() const { return pitch == depth && axis[2].dilation == 1; }
  bool readsRows() const { return reading == Reading::rows; }
  bool gathers() const { return reading == Reading::copies; }
  std::int64_t pieces() const { return gathers() ? 1 : readsRows() ? taps / window[2] : taps; }
  std::int64_t pieceDepth() const { return (gathers() ? taps : readsRows() ? window[2] : 1) * depth; }
  // Whether the image is so small that a copy which includes the padding may replace it, and the geometry of that copy.
  // No window of the copy is cut off at the border.
  bool canBePadded() const;
  Geometry padded() const;
  std::int64_t inputElements() const { return input[0] * input[1] * input[2] * depth; }

  // Returns how many elements of the workspace `rows` rows of a product may need.
  std::int64_t copied(std::int64_t rows) const {
    return gathers() ? rows * pieceDepth() : readsRows() ? (rows * pieces() + 1) * pieceDepth() : zeros();
  }
  // The zeros that pieces outside of the image are read from.
  std::int64_t zeros() const { return isDepthwise ? depth : pieceDepth() * groups; }
};

// Returns the geometry of a step with the attributes of CONV and up to mostAxes axes. `window`: the filter's sizes;
// `depth`: the channels of a group.
Geometry geometryOf(const Step& step, const std::int64_t* window, std::int64_t depth, bool isDepthwise = false);

// Checks that the step's windows fit its shapes. `window` has the filter's sizes. Returns the error, or null.
const char* checkGeometry(const Step& step, const std::int64_t* window);

// Describes how a 2-D convolution runs row by row.
ByRows byRowsOf(const Geometry& g, const RunningByRows::Kernel& kernel, std::uint64_t nanoseconds,
                std::uint64_t workspaceBytes);

// A position of the window: the image, and the place of its first tap along each axis, which may be outside.
struct WindowPlace {
  std::int64_t image, first[mostAxes];
};

class Windowed {
 public:
  // `most`: how many rows are requested at once. `kept`: as in RowCall; if not 0, only rows of image 0 are requested.
  Windowed(const Geometry& g, const float* input, std::byte* workspace, std::int64_t most, std::int64_t kept = 0);

  static std::uint64_t tableBytes(const Geometry& g, std::int64_t most) {
    return alignUp(static_cast<std::uint64_t>(g.pieces() * most) * sizeof(float*));
  }
  static std::uint64_t offsetBytes(const Geometry& g) { return alignUp(static_cast<std::uint64_t>(g.taps) * 8); }
  static std::uint64_t workspaceBytes(const Geometry& g, std::int64_t most) {
    return tableBytes(g, most) + offsetBytes(g) + alignUp(static_cast<std::uint64_t>(g.copied(most)) * sizeof(float));
  }

  const float** table() const { return table_; }

  // Sets the pointers of `count` rows of a group's product, for runProduct; its rows are the result's pixels. `before`:
  // as for LeftRows.
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

  // Sets the pointers of the columns under the windows of `count` neighbouring results, for each row of the window. The
  // last axis must not be dilated. Returns the number of pointers.
  std::int64_t columnsAt(std::int64_t pixel, std::int64_t count, const float** table) {
    if (pixel != nextPixel_) moveTo(pixel);
    const std::int64_t columns = (count - 1) * g_.axis[2].stride + g_.window[2];
    point(input_, table, 1, columns);
    advance(count);
    nextPixel_ = pixel + count;
    return g_.window[0] * g_.window[1] * columns;
  }
  // Whether the windows of `count` results from `pixel` on, all in one row, are inside the image.
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
  // Skips `count` results from `pixel` on, which is the current position.
  void skip(std::int64_t pixel, std::int64_t count) {
    advance(count);
    nextPixel_ = pixel + count;
  }
  // Returns how many results there are from `pixel` to the end of its row.
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

  // Advances by `count` positions, at most to the end of the row.
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

  // Returns how many windows from here on, to the end of the row, are inside the image.
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

  // Sets the pointers of `columns` columns in each row of the window. Those outside the image point to zeros.
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

  // Sets the pointers of pieces that are rows of the window. A row that is partly outside the image is copied to
  // `copies`.
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

  // Avoids memset: its call takes longer than the few elements of a row.
  static void clear(float* to, std::int64_t count) {
    constexpr float zeros[4] = {};
    for (; count >= 4; count -= 4, to += 4) std::memcpy(to, zeros, sizeof zeros);
    for (; count > 0; --count) *to++ = 0;
  }

  // Copies the elements under the window together.
  void gather(const float* channels, float* to) const;

  const Geometry& g_;
  const bool readsRows_ = g_.readsRows();
  const std::int64_t pieces_ = g_.pieces();
  const float* input_;
  const std::int64_t kept_;
  const float** table_;
  std::int64_t* offsets_;                       // elements from the first piece to each, for a window inside the image
  float* floats_;                               // zeros, then copied rows of windows; or the gathered rows
  bool isPixelwise_ = true;                     // each window covers just the pixel at the result's place
  std::int64_t lastInside_[mostAxes];           // the last place of a window inside the image
  std::int64_t lastInRow_ = -1;                 // the last result of a row whose window is inside the image
  std::int64_t nextPixel_ = -1, at_[mostAxes];  // the result's pixel at `place_`
  WindowPlace place_;
};

}  // namespace axle::runtime
