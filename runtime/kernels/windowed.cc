#include "runtime/kernels/windowed.h"

namespace axle::runtime {
namespace {

bool hasWholeRows(const Geometry& g) { return g.pitch == g.depth && g.axis[2].dilation == 1; }

}  // namespace

bool Geometry::canBePadded() const {
  constexpr std::int64_t mostElements = 1 << 14;
  std::int64_t elements = depth;
  for (const Window& a : axis) {
    if (a.before < 0 || a.after < 0 || a.input >= mostElements || a.before >= mostElements || a.after >= mostElements)
      return false;
    elements *= a.input + a.before + a.after;
    if (elements > mostElements) return false;
  }
  return images == 1 && hasFewChannels() && hasWholeRows(*this) && window[2] * depth < shortestPiece;
}

Geometry Geometry::padded() const {
  Geometry made = *this;
  for (int i = 0; i < mostAxes; ++i) {
    Window& a = made.axis[i];
    made.input[i] = a.input += a.before + a.after;
    a.before = a.after = 0;
  }
  made.isPadded = true;
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
  if (g.hasFewChannels()) g.reading = hasWholeRows(g) && !g.canBePadded() ? Reading::rows : Reading::copies;
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

ByRows byRowsOf(const Geometry& g, void (*kernel)(const Step&, const RowCall&), std::uint64_t nanoseconds,
                std::uint64_t workspaceBytes) {
  const Window& axis = g.axis[1];
  return {kernel,      axis.stride,   axis.before, windowExtent(PlainSizes(), axis.size, axis.dilation),
          nanoseconds, workspaceBytes};
}

}  // namespace axle::runtime
