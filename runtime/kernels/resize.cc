// Resizes images, channels last: nearest, linear or cubic, each axis separately.
#include <algorithm>
#include <cmath>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/strided.h"
#include "runtime/kernels/window.h"

namespace axle::runtime {
namespace {

constexpr int mostTaps = 4;

// ints: method, coordinates
enum Method : std::int64_t { nearest, bilinear, bicubic, methods };
enum Coordinates : std::int64_t { halfPixel, alignCorners, asymmetric, coordinateKinds };

// Returns the position along the input of the output's element `at`.
template <class C>
C position(std::int64_t at, std::int64_t input, std::int64_t output, std::int64_t coordinates) {
  if (coordinates == alignCorners && output > 1)
    return static_cast<C>(at) * (static_cast<C>(input - 1) / static_cast<C>(output - 1));
  const C scale = static_cast<C>(input) / static_cast<C>(output);
  return coordinates == halfPixel ? (static_cast<C>(at) + C{0.5}) * scale - C{0.5} : static_cast<C>(at) * scale;
}

// As in TensorFlow: "half pixel" and "asymmetric" take the element that contains the position, "aligned corners" the
// nearest one.
std::int64_t nearestTo(std::int64_t at, std::int64_t input, std::int64_t output, std::int64_t coordinates) {
  float x = position<float>(at, input, output, coordinates);
  if (coordinates == halfPixel)
    x = (static_cast<float>(at) + 0.5f) * (static_cast<float>(input) / static_cast<float>(output));
  const float whole = coordinates == alignCorners ? std::round(x) : std::floor(x);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(whole), 0, input - 1);
}

template <class C>
struct Mix {
  int count = 0;
  std::int64_t at[mostTaps];
  C weight[mostTaps];
};

// Keys' cubic with a = -1/2.
template <class C>
C cubic(C x) {
  x = std::fabs(x);
  return x < 1 ? (C{1.5} * x - C{2.5}) * x * x + 1 : x < 2 ? ((C{-0.5} * x + C{2.5}) * x - 4) * x + 2 : C{0};
}

// Linear interpolation repeats the border; cubic leaves out taps outside the image and scales the others to sum to 1.
template <class C>
Mix<C> mixOf(std::int64_t at, std::int64_t input, std::int64_t output, std::int64_t method, std::int64_t coordinates) {
  const C x = position<C>(at, input, output, coordinates), whole = std::floor(x);
  const auto base = static_cast<std::int64_t>(whole);
  Mix<C> mix;
  if (method == bilinear) {
    mix.count = 2;
    for (int i = 0; i < 2; ++i) mix.at[i] = std::clamp<std::int64_t>(base + i, 0, input - 1);
    mix.weight[1] = x - whole;
    mix.weight[0] = 1 - mix.weight[1];
    return mix;
  }
  C total = 0;
  for (std::int64_t tap = base - 1; tap <= base + 2; ++tap) {
    if (tap < 0 || tap >= input) continue;
    mix.at[mix.count] = tap;
    total += mix.weight[mix.count++] = cubic(x - static_cast<C>(tap));
  }
  for (int i = 0; i < mix.count; ++i) mix.weight[i] /= total;
  return mix;
}

bool runNearest(Step& step, Fault&) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const std::size_t bytes = static_cast<std::size_t>(x[3]) * info(step.in(0).elem).bytes;
  auto* to = step.out(0).as<std::byte>();
  for (std::int64_t line = 0; line < y[0] * y[1]; ++line) {
    const std::int64_t row = line / y[1] * x[1] + nearestTo(line % y[1], x[1], y[1], step.integer(1));
    for (std::int64_t j = 0; j < y[2]; ++j, to += bytes) {
      const std::int64_t pixel = row * x[2] + nearestTo(j, x[2], y[2], step.integer(1));
      std::memcpy(to, step.in(0).as<std::byte>() + static_cast<std::size_t>(pixel) * bytes, bytes);
    }
  }
  return true;
}

template <class T>
bool runMixed(Step& step, Fault&) {
  using C = Wide<T>;
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const std::int64_t channels = x[3];
  T* out = step.out(0).as<T>();
  for (std::int64_t line = 0; line < y[0] * y[1]; ++line) {
    const Mix<C> rows = mixOf<C>(line % y[1], x[1], y[1], step.integer(0), step.integer(1));
    const T* image = step.in(0).as<T>() + line / y[1] * x[1] * x[2] * channels;
    for (std::int64_t j = 0; j < y[2]; ++j, out += channels) {
      const Mix<C> columns = mixOf<C>(j, x[2], y[2], step.integer(0), step.integer(1));
      for (std::int64_t c0 = 0; c0 < channels; c0 += tileWidth) {
        const std::int64_t tile = std::min(tileWidth, channels - c0);
        C sums[tileWidth];
        std::fill_n(sums, tile, C{0});
        for (int p = 0; p < rows.count; ++p)
          for (int q = 0; q < columns.count; ++q) {
            const C weight = rows.weight[p] * columns.weight[q];
            const T* from = image + (rows.at[p] * x[2] + columns.at[q]) * channels + c0;
            for (std::int64_t c = 0; c < tile; ++c) sums[c] += weight * widen(from[c]);
          }
        for (std::int64_t c = 0; c < tile; ++c) out[c0 + c] = narrow<T>(sums[c]);
      }
    }
  }
  return true;
}

}  // namespace

const char* prepareResize(Step& step) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  if (step.in(0).elem != step.out(0).elem) return "image and result differ in element type";
  if (x.rank() != 4 || y.rank() != 4) return "image and result must have rank 4";
  if (y[0] != x[0] || y[3] != x[3]) return "the result has other sizes";
  for (int i = 1; i <= 2; ++i) {
    if (x[i] == 0 && y[i] > 0) return "the input has no pixels";
    if (x[i] >= windowLimit || y[i] >= windowLimit) return "a size is out of range";
  }
  if (step.integer(0) < 0 || step.integer(0) >= methods || step.integer(1) < 0 || step.integer(1) >= coordinateKinds)
    return "an attribute is out of range";
  step.kernel = step.integer(0) == nearest
                    ? &runNearest
                    : forElem<floats>(step.in(0).elem, []<class T>() -> Kernel { return &runMixed<T>; });
  return step.kernel == nullptr ? "not for this element type" : nullptr;
}

}  // namespace axle::runtime
