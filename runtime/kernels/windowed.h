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
// Below this many elements a tap's product is too short to be worth a pointer: the window's elements are copied
// together.
inline constexpr std::int64_t fewChannels = 16;

struct Geometry {
  Window axis[mostAxes];  // missing ones, in front, have size 1
  std::int64_t input[mostAxes], output[mostAxes], window[mostAxes];
  std::int64_t images = 0, pitch = 0, depth = 0, width = 0, groups = 1, taps = 1;
  bool isDepthwise = false;  // each channel is a group; `depth` counts all of them

  std::int64_t pixels() const { return images * output[0] * output[1] * output[2]; }
  bool gathers() const { return !isDepthwise && depth < fewChannels && taps > 1; }
  std::int64_t pieces() const { return gathers() ? 1 : taps; }
  std::int64_t pieceDepth() const { return gathers() ? taps * depth : depth; }
};

// Of a step with the attributes of CONV and up to mostAxes axes. `window`: the filter's sizes; `depth`: the channels of
// a group.
inline Geometry geometryOf(const Step& step, const std::int64_t* window, std::int64_t depth) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const int r = x.rank() - 2, missing = mostAxes - r;
  Geometry g;
  for (int i = 0; i < mostAxes; ++i) {
    const int a = i - missing;
    g.axis[i] = a < 0 ? Window{1, 1, 1, 0, 0, 1} : Window{x[a + 1],
                                                          window[a],
                                                          step.integer(a),
                                                          step.integer(r + 2 * a),
                                                          step.integer(r + 2 * a + 1),
                                                          step.integer(3 * r + a)};
    g.input[i] = g.axis[i].input;
    g.window[i] = g.axis[i].size;
    g.output[i] = a < 0 ? 1 : y[a + 1];
    g.taps *= g.window[i];
  }
  g.images = y[0];
  g.pitch = step.in(0).rowPitch();
  g.depth = depth;
  g.groups = step.integer(5 * r);
  g.width = y[r + 1] / g.groups;
  return g;
}

// Whether the step's windows fit its shapes. `window` has the filter's sizes. Returns the error, or null.
inline const char* checkGeometry(const Step& step, const std::int64_t* window) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const int r = x.rank() - 2;
  if (r < 1 || r > mostAxes || y.rank() != x.rank()) return "the ranks do not fit";
  if (static_cast<int>(step.ints.size()) != 5 * r + 1) return "the number of attributes does not fit the rank";
  if (y[0] != x[0]) return "the result has other sizes";
  std::int64_t taps = 1;
  for (int i = 0; i < r; ++i) {
    if (step.integer(4 * r + i) != 1) return "the image is spread";
    const Window axis{x[i + 1],
                      window[i],
                      step.integer(i),
                      step.integer(r + 2 * i),
                      step.integer(r + 2 * i + 1),
                      step.integer(3 * r + i)};
    if (!axis.valid()) return "a stride, padding, dilation or size is out of range";
    if (y[i + 1] != axis.output()) return "the result has other sizes";
    if (__builtin_mul_overflow(taps, window[i], &taps)) return "the window is too large";
  }
  std::int64_t elements = 0;  // under a window
  if (__builtin_mul_overflow(taps, x[r + 1], &elements) || elements >= windowLimit) return "the window is too large";
  return nullptr;
}

// A position of the window: which image, and where its first tap lies along each axis, perhaps outside.
struct WindowPlace {
  std::int64_t image, first[mostAxes];
};

class Windowed {
 public:
  // `most`: rows that are asked for at once.
  Windowed(const Geometry& g, const float* input, std::byte* workspace, std::int64_t most) : g_(g), input_(input) {
    table_ = reinterpret_cast<const float**>(workspace);
    workspace += tableBytes(g, most);
    offsets_ = reinterpret_cast<std::int64_t*>(workspace);
    workspace += offsetBytes(g);
    floats_ = reinterpret_cast<float*>(workspace);
    if (!g.gathers()) std::fill_n(floats_, g.depth, 0.0f);
    std::int64_t tap = 0;
    for (std::int64_t a = 0; a < g.window[0]; ++a)
      for (std::int64_t b = 0; b < g.window[1]; ++b)
        for (std::int64_t c = 0; c < g.window[2]; ++c)
          offsets_[tap++] =
              ((a * g.axis[0].dilation * g.input[1] + b * g.axis[1].dilation) * g.input[2] + c * g.axis[2].dilation) *
              g.pitch;
  }

  static std::uint64_t tableBytes(const Geometry& g, std::int64_t most) {
    return alignUp(static_cast<std::uint64_t>(g.pieces() * most) * sizeof(float*));
  }
  static std::uint64_t offsetBytes(const Geometry& g) { return alignUp(static_cast<std::uint64_t>(g.taps) * 8); }
  static std::uint64_t workspaceBytes(const Geometry& g, std::int64_t most) {
    const std::int64_t floats = g.gathers() ? most * g.pieceDepth() : g.depth;
    return tableBytes(g, most) + offsetBytes(g) + alignUp(static_cast<std::uint64_t>(floats) * sizeof(float));
  }

  const float** table() const { return table_; }

  // For runProduct: the rows of a group's product are the result's pixels.
  void rowsAt(std::int64_t pixel, std::int64_t count, std::int64_t group, const float** table) const {
    const float* const channels = input_ + group * g_.depth;
    std::int64_t at[mostAxes];
    std::int64_t rest = pixel;
    for (int i = mostAxes - 1; i >= 0; --i) at[i] = rest % g_.output[i], rest /= g_.output[i];
    for (std::int64_t row = 0; row < count; ++row) {
      WindowPlace place{rest, {}};
      bool inside = true;
      for (int i = 0; i < mostAxes; ++i) {
        const Window& window = g_.axis[i];
        place.first[i] = at[i] * window.stride - window.before;
        inside = inside && place.first[i] >= 0 && place.first[i] + (window.size - 1) * window.dilation < window.input;
      }
      if (g_.gathers()) {
        float* const to = floats_ + row * g_.pieceDepth();
        gather(place, channels, to);
        table[row] = to;
      } else if (inside) {
        const float* const from = channels + elementAt(place.image, place.first) * g_.pitch;
        for (std::int64_t tap = 0; tap < g_.taps; ++tap) table[tap * count + row] = from + offsets_[tap];
      } else {
        point(place, channels, table + row, count);
      }
      for (int i = mostAxes - 1; i >= 0; --i) {
        if (++at[i] < g_.output[i]) break;
        at[i] = 0;
        if (i == 0) ++rest;
      }
    }
  }

 private:
  std::int64_t elementAt(std::int64_t image, const std::int64_t* at) const {
    return ((image * g_.input[0] + at[0]) * g_.input[1] + at[1]) * g_.input[2] + at[2];
  }

  // Taps outside of the image point to zeros.
  void point(const WindowPlace& place, const float* channels, const float** to, std::int64_t count) const {
    std::int64_t at[mostAxes];
    for (std::int64_t a = 0; a < g_.window[0]; ++a)
      for (std::int64_t b = 0; b < g_.window[1]; ++b)
        for (std::int64_t c = 0; c < g_.window[2]; ++c, to += count) {
          *to = isInside(place, a, b, c, at) ? channels + elementAt(place.image, at) * g_.pitch : floats_;
        }
  }

  bool isInside(const WindowPlace& place, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t* at) const {
    const std::int64_t taps[mostAxes] = {a, b, c};
    for (int i = 0; i < mostAxes; ++i) {
      at[i] = place.first[i] + taps[i] * g_.axis[i].dilation;
      if (at[i] < 0 || at[i] >= g_.input[i]) return false;
    }
    return true;
  }

  static void copy(float* to, const float* from, std::int64_t count) {
    for (; count >= 4; count -= 4, to += 4, from += 4) std::memcpy(to, from, 4 * sizeof(float));
    for (; count > 0; --count) *to++ = *from++;
  }

  // Copies what lies under the window, row by row along the last axis.
  void gather(const WindowPlace& place, const float* channels, float* to) const {
    const Window& last = g_.axis[2];
    const bool isDense = last.dilation == 1 && g_.pitch == g_.depth;
    const std::int64_t row = last.size * g_.depth;
    const std::int64_t begin = std::clamp<std::int64_t>(-place.first[2], 0, last.size),
                       end = std::clamp<std::int64_t>(last.input - place.first[2], begin, last.size);
    std::int64_t at[mostAxes];
    for (std::int64_t a = 0; a < g_.window[0]; ++a)
      for (std::int64_t b = 0; b < g_.window[1]; ++b, to += row) {
        at[0] = place.first[0] + a * g_.axis[0].dilation;
        at[1] = place.first[1] + b * g_.axis[1].dilation;
        at[2] = place.first[2];
        if (at[0] < 0 || at[0] >= g_.input[0] || at[1] < 0 || at[1] >= g_.input[1]) {
          std::fill_n(to, row, 0.0f);
        } else if (isDense) {
          std::fill_n(to, begin * g_.depth, 0.0f);
          copy(to + begin * g_.depth, channels + (elementAt(place.image, at) + begin) * g_.pitch,
               (end - begin) * g_.depth);
          std::fill_n(to + end * g_.depth, row - end * g_.depth, 0.0f);
        } else {
          for (std::int64_t c = 0; c < last.size; ++c) {
            const std::int64_t element = place.first[2] + c * last.dilation;
            if (element < 0 || element >= last.input) {
              std::fill_n(to + c * g_.depth, g_.depth, 0.0f);
              continue;
            }
            at[2] = element;
            copy(to + c * g_.depth, channels + elementAt(place.image, at) * g_.pitch, g_.depth);
          }
        }
      }
  }

  const Geometry& g_;
  const float* input_;
  const float** table_;
  std::int64_t* offsets_;
  float* floats_;  // zeros, or the gathered rows
};

}  // namespace axle::runtime
