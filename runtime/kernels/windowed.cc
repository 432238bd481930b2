#include "runtime/kernels/windowed.h"

namespace axle::runtime {

bool Geometry::canBePadded() const {
  constexpr std::int64_t mostElements = 1 << 14;
  std::int64_t elements = depth;
  for (const Window& a : axis) {
    if (a.before < 0 || a.after < 0 || a.input >= mostElements || a.before >= mostElements || a.after >= mostElements)
      return false;
    elements *= a.input + a.before + a.after;
    if (elements > mostElements) return false;
  }
  return images == 1 && hasFewChannels() && hasWholeRows() && window[2] * depth < shortestPiece;
}

Geometry Geometry::padded() const {
  Geometry made = *this;
  for (int i = 0; i < mostAxes; ++i) {
    Window& a = made.axis[i];
    made.input[i] = a.input += a.before + a.after;
    a.before = a.after = 0;
  }
  made.isPadded = true;
  made.reading = Reading::rows;
  return made;
}

Geometry geometryOf(const Step& step, const std::int64_t* window, std::int64_t depth, bool isDepthwise) {
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
  g.isDepthwise = isDepthwise;
  if (g.hasFewChannels()) g.reading = g.hasWholeRows() && !g.canBePadded() ? Reading::rows : Reading::copies;
  return g;
}

const char* checkGeometry(const Step& step, const std::int64_t* window) {
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

ByRows byRowsOf(const Geometry& g, const RunningByRows::Kernel& kernel, std::uint64_t nanoseconds,
                std::uint64_t workspaceBytes) {
  const Window& axis = g.axis[1];
  return {kernel.run,  kernel.prepare, axis.stride, axis.before, windowExtent(PlainSizes(), axis.size, axis.dilation),
          nanoseconds, workspaceBytes};
}

Windowed::Windowed(const Geometry& g, const float* input, std::byte* workspace, std::int64_t most, std::int64_t kept)
    : g_(g), input_(input), kept_(kept) {
  table_ = reinterpret_cast<const float**>(workspace);
  workspace += tableBytes(g, most);
  offsets_ = reinterpret_cast<std::int64_t*>(workspace);
  workspace += offsetBytes(g);
  floats_ = reinterpret_cast<float*>(workspace);
  if (!g.gathers()) std::fill_n(floats_, g.zeros(), 0.0f);
  bool fits = true;
  for (int i = 0; i < mostAxes; ++i) {
    const Window& axis = g.axis[i];
    isPixelwise_ = isPixelwise_ && axis.size == 1 && axis.stride == 1 && axis.before == 0 && g.input[i] == g.output[i];
    lastInside_[i] = axis.input - 1 - (axis.size - 1) * axis.dilation;
    if (lastInside_[i] < 0) fits = false;
  }
  if (kept != 0) lastInside_[0] = -1;  // rows of a window may not be adjacent in memory
  if (!fits) return;                   // no window is inside the image, and offsets of larger windows may overflow
  lastInRow_ = (lastInside_[2] + g.axis[2].before) / g.axis[2].stride;
  std::int64_t piece = 0;
  for (std::int64_t a = 0; a < g.window[0]; ++a)
    for (std::int64_t b = 0; b < g.window[1]; ++b)
      for (std::int64_t c = 0; c < (readsRows_ ? 1 : g.window[2]); ++c)
        offsets_[piece++] =
            ((a * g.axis[0].dilation * g.input[1] + b * g.axis[1].dilation) * g.input[2] + c * g.axis[2].dilation) *
            g.pitch;
}

void Windowed::gather(const float* channels, float* to) const {
  const Window& last = g_.axis[2];
  std::int64_t at[mostAxes];
  for (std::int64_t a = 0; a < g_.window[0]; ++a)
    for (std::int64_t b = 0; b < g_.window[1]; ++b) {
      at[0] = place_.first[0] + a * g_.axis[0].dilation;
      at[1] = place_.first[1] + b * g_.axis[1].dilation;
      const bool hasRow = at[0] >= 0 && at[0] < g_.input[0] && at[1] >= 0 && at[1] < g_.input[1];
      at[2] = place_.first[2];
      for (std::int64_t c = 0; c < last.size; ++c, at[2] += last.dilation, to += g_.depth)
        if (hasRow && at[2] >= 0 && at[2] < g_.input[2])
          copy(to, channels + elementAt(at) * g_.pitch, g_.depth);
        else
          clear(to, g_.depth);
    }
}

}  // namespace axle::runtime
