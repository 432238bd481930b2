// Resizes images, channels last: nearest, linear or cubic, each axis separately; or repeats their pixels.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "runtime/bundle_format.h"
#include "runtime/kernels/copy_blocks.h"
#include "runtime/kernels/halves.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/window.h"
#include "runtime/parts.h"
#include "runtime/vector/resize.h"

namespace axle::runtime {
namespace {

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

std::uint64_t bytesOf(std::int64_t count, std::size_t size) {
  return alignUp(static_cast<std::uint64_t>(count) * size);
}

// Copies pixels: of the row and of the column that rowOf and columnOf give. Parts divide the lines of the result. Lines
// made of the same row of the image are copied from the first of them.
template <class RowOf, class ColumnOf>
bool copyPixels(const Step& step, Part part, RowOf rowOf, ColumnOf columnOf) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const std::size_t bytes = static_cast<std::size_t>(x[3]) * info(step.in(0).elem).bytes,
                    line = static_cast<std::size_t>(y[2]) * bytes;
  auto* const places = reinterpret_cast<std::int64_t*>(workspaceOf(step, part));
  for (std::int64_t j = 0; j < y[2]; ++j) places[j] = columnOf(j);
  const std::int64_t all = y[0] * y[1];
  std::int64_t last = -1;
  auto* to = step.out(0).as<std::byte>() + static_cast<std::size_t>(part.begin(all)) * line;
  for (std::int64_t i = part.begin(all); i < part.end(all); ++i, to += line) {
    const std::int64_t row = i / y[1] * x[1] + rowOf(i % y[1]);
    if (std::exchange(last, row) == row)
      std::memcpy(to, to - line, line);
    else
      copyBlocks(to, step.in(0).as<std::byte>() + static_cast<std::size_t>(row * x[2]) * bytes, places, y[2], bytes);
  }
  return true;
}

bool runNearest(Step& step, Part part, Fault&) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const auto along = [&](int axis) {
    return [&x, &y, axis, coordinates = step.integer(1)](std::int64_t at) {
      return nearestTo(at, x[axis], y[axis], coordinates);
    };
  };
  return copyPixels(step, part, along(1), along(2));
}

bool runUpsample(Step& step, Part part, Fault&) {
  const auto by = [](std::int64_t scale) { return [scale](std::int64_t at) { return at / scale; }; };
  return copyPixels(step, part, by(step.integer(0)), by(step.integer(1)));
}

// Calls line(mix of rows, the image, index of the result's line) for the lines of a part, after setting the mixes of
// all columns.
template <class C, class Line>
void forMixedLines(const Step& step, Part part, Mix<C>* columns, Line line) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const std::int64_t method = step.integer(0), coordinates = step.integer(1), all = y[0] * y[1];
  for (std::int64_t j = 0; j < y[2]; ++j) columns[j] = mixOf<C>(j, x[2], y[2], method, coordinates);
  for (std::int64_t i = part.begin(all); i < part.end(all); ++i)
    line(mixOf<C>(i % y[1], x[1], y[1], method, coordinates), i / y[1], i);
}

bool runMixedF64(Step& step, Part part, Fault&) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const std::int64_t channels = x[3], row = x[2] * channels;
  auto* const columns = reinterpret_cast<Mix<double>*>(workspaceOf(step, part));
  forMixedLines(step, part, columns, [&](const Mix<double>& rows, std::int64_t image, std::int64_t line) {
    double* out = step.out(0).as<double>() + line * y[2] * channels;
    std::fill_n(out, y[2] * channels, 0.0);
    for (std::int64_t j = 0; j < y[2]; ++j, out += channels)
      for (int p = 0; p < rows.count; ++p)
        for (int q = 0; q < columns[j].count; ++q) {
          const double weight = rows.weight[p] * columns[j].weight[q];
          const double* from =
              step.in(0).as<double>() + (image * x[1] + rows.at[p]) * row + columns[j].at[q] * channels;
          for (std::int64_t c = 0; c < channels; ++c) out[c] += weight * from[c];
        }
  });
  return true;
}

// A line of the result in f32. `rowAt` gives a row of the image.
template <class RowAt>
void mixRows(const Step& step, const Mix<float>& rows, const Mix<float>* columns, float* out, RowAt rowAt) {
  MixedLine line;
  line.rowMix = rows;
  for (int p = 0; p < rows.count; ++p) line.rows[p] = rowAt(rows.at[p]);
  line.columns = columns;
  line.count = step.out(0).shape[2], line.channels = step.out(0).shape[3];
  line.out = out;
  AXLE_KERNELS_IN_USE(mixLine)(line);
}

bool runMixedF32(Step& step, Part part, Fault&) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const std::int64_t row = x[2] * x[3];
  auto* const columns = reinterpret_cast<Mix<float>*>(workspaceOf(step, part));
  forMixedLines(step, part, columns, [&](const Mix<float>& rows, std::int64_t image, std::int64_t line) {
    mixRows(step, rows, columns, step.out(0).as<float>() + line * y[2] * y[3],
            [&](std::int64_t i) { return step.in(0).as<float>() + (image * x[1] + i) * row; });
  });
  return true;
}

// Of f16 and bf16: widens the rows of the image that a line needs, of which the last ones are kept.
bool runMixedHalves(Step& step, Part part, Fault&) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const Elem elem = step.in(0).elem;
  const std::int64_t row = x[2] * x[3], width = y[2] * y[3];
  const WidenRows widen = widenHalves(elem);
  const StoreHalves store = storeHalves(elem);
  std::byte* const workspace = workspaceOf(step, part);
  auto* const columns = reinterpret_cast<Mix<float>*>(workspace);
  auto* const out = reinterpret_cast<float*>(workspace + bytesOf(y[2], sizeof *columns));
  float* const widened = out + width;
  std::int64_t held[mostMixed] = {-1, -1, -1, -1};
  forMixedLines(step, part, columns, [&](const Mix<float>& rows, std::int64_t image, std::int64_t line) {
    mixRows(step, rows, columns, out, [&](std::int64_t i) {
      const std::int64_t index = image * x[1] + i, slot = i % mostMixed;
      float* const to = widened + slot * row;
      if (std::exchange(held[slot], index) != index)
        widen({step.in(0).as<std::uint16_t>() + index * row, row, 1, row, to, row});
      return to;
    });
    store({out, width, 1, width, step.out(0).as<std::uint16_t>() + line * width, width});
  });
  return true;
}

struct Resizing {
  PartKernel kernel = nullptr;
  std::uint64_t nanosecondsOfElement = 1, bytesOfPart = 0;
};

Resizing resizingOf(const Step& step) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  if (step.integer(0) == nearest) return {runNearest, 1, bytesOf(y[2], sizeof(std::int64_t))};
  const std::uint64_t nanoseconds = step.integer(0) == bicubic ? 4 : 1;
  switch (step.in(0).elem) {
    case Elem::f32:
      return {runMixedF32, nanoseconds, bytesOf(y[2], sizeof(Mix<float>))};
    case Elem::f64:
      return {runMixedF64, nanoseconds, bytesOf(y[2], sizeof(Mix<double>))};
    case Elem::f16:
    case Elem::bf16:
      return {runMixedHalves, nanoseconds,
              bytesOf(y[2], sizeof(Mix<float>)) + bytesOf(y[2] * y[3] + mostMixed * x[2] * x[3], sizeof(float))};
    default:
      return {};
  }
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
  const Resizing resizing = resizingOf(step);
  return divideStep(step, resizing.kernel, static_cast<std::uint64_t>(y.elements()) * resizing.nanosecondsOfElement / 2,
                    resizing.bytesOfPart);
}

const char* prepareUpsample(Step& step) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  if (x.rank() != 4 || y.rank() != 4) return "image and result must have rank 4";
  std::int64_t height = 0, width = 0;
  if (step.integer(0) < 1 || step.integer(1) < 1 || __builtin_mul_overflow(x[1], step.integer(0), &height) ||
      __builtin_mul_overflow(x[2], step.integer(1), &width))
    return "a scale is out of range";
  if (y[0] != x[0] || y[1] != height || y[2] != width || y[3] != x[3]) return "the result has other sizes";
  if (step.in(0).elem != step.out(0).elem) return "input and output differ in element type";
  return divideStep(step, runUpsample, static_cast<std::uint64_t>(y.elements()) / 2,
                    bytesOf(y[2], sizeof(std::int64_t)));
}

}  // namespace axle::runtime
