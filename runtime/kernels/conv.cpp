// Convolutions: NHWC by HWIO, depthwise, and the paper's NCHW by OIHW.
#include <algorithm>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/window.h"

namespace axle::runtime {
namespace {

constexpr std::int64_t tileChannels = 128;

// ints: stride h w, pad top bottom left right, dilation h w
Window rowsOf(const Step& step) {
  return {step.in(0).shape[1], step.in(1).shape[0], step.integer(0), step.integer(2), step.integer(3), step.integer(6)};
}
Window columnsOf(const Step& step) {
  return {step.in(0).shape[2], step.in(1).shape[1], step.integer(1), step.integer(4), step.integer(5), step.integer(7)};
}

// Calls pixel(x image, output pixel index, row, column) for every output pixel of every image.
template <class T, class Pixel>
void forPixels(const Step& step, Pixel pixel) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  std::int64_t at = 0;
  for (std::int64_t image = 0; image < y[0]; ++image)
    for (std::int64_t i = 0; i < y[1]; ++i)
      for (std::int64_t j = 0; j < y[2]; ++j) pixel(step.in(0).as<T>() + image * x[1] * x[2] * x[3], at++, i, j);
}

template <class T>
bool runConv2d(Step& step, Fault&) {
  const Window rows = rowsOf(step), columns = columnsOf(step);
  const std::int64_t width = step.in(0).shape[2], channels = step.in(0).shape[3], filters = step.out(0).shape[3];
  const std::int64_t filterWidth = step.in(1).shape[1];
  const T* filter = step.in(1).as<T>();
  T* out = step.out(0).as<T>();
  forPixels<T>(step, [&](const T* image, std::int64_t at, std::int64_t i, std::int64_t j) {
    const Range r = channels == 0 ? Range{0, 0} : rows.inside(i), s = columns.inside(j);
    const std::int64_t top = rows.start(i), left = columns.start(j);
    for (std::int64_t k0 = 0; k0 < filters; k0 += tileChannels) {
      const std::int64_t tile = std::min(tileChannels, filters - k0);
      Sum<T> sums[tileChannels];
      std::fill_n(sums, tile, Sum<T>{0});
      for (std::int64_t p = r.begin; p < r.end; ++p)
        for (std::int64_t q = s.begin; q < s.end; ++q) {
          const T* x = image + ((top + p * rows.dilation) * width + left + q * columns.dilation) * channels;
          const T* w = filter + (p * filterWidth + q) * channels * filters + k0;
          for (std::int64_t c = 0; c < channels; ++c) {
            const Sum<T> value = toSum(x[c]);
            const T* row = w + c * filters;
            for (std::int64_t k = 0; k < tile; ++k) sums[k] += value * toSum(row[k]);
          }
        }
      for (std::int64_t k = 0; k < tile; ++k) out[at * filters + k0 + k] = fromSum<T>(sums[k]);
    }
  });
  return true;
}

// Output channel c*m + j takes input channel c.
template <class T>
bool runDepthwise(Step& step, Fault&) {
  const Window rows = rowsOf(step), columns = columnsOf(step);
  const std::int64_t width = step.in(0).shape[2], channels = step.in(0).shape[3], multiplier = step.in(1).shape[3];
  const std::int64_t filterWidth = step.in(1).shape[1], results = channels * multiplier;
  const T* filter = step.in(1).as<T>();
  T* out = step.out(0).as<T>();
  forPixels<T>(step, [&](const T* image, std::int64_t at, std::int64_t i, std::int64_t j) {
    const Range r = rows.inside(i), s = columns.inside(j);
    const std::int64_t top = rows.start(i), left = columns.start(j);
    for (std::int64_t k0 = 0; k0 < results; k0 += tileChannels) {
      const std::int64_t tile = std::min(tileChannels, results - k0);
      Sum<T> sums[tileChannels];
      std::fill_n(sums, tile, Sum<T>{0});
      for (std::int64_t p = r.begin; p < r.end; ++p)
        for (std::int64_t q = s.begin; q < s.end; ++q) {
          const T* x = image + ((top + p * rows.dilation) * width + left + q * columns.dilation) * channels;
          const T* w = filter + (p * filterWidth + q) * results + k0;
          if (multiplier == 1)
            for (std::int64_t k = 0; k < tile; ++k) sums[k] += toSum(x[k0 + k]) * toSum(w[k]);
          else
            for (std::int64_t k = 0; k < tile; ++k) sums[k] += toSum(x[(k0 + k) / multiplier]) * toSum(w[k]);
        }
      for (std::int64_t k = 0; k < tile; ++k) out[at * results + k0 + k] = fromSum<T>(sums[k]);
    }
  });
  return true;
}

// One row of outputs at a time: every tap adds a shifted piece of an input row.
template <class T>
bool runNchw(Step& step, Fault&) {
  const Shape &x = step.in(0).shape, &f = step.in(1).shape, &y = step.out(0).shape;
  T* out = step.out(0).as<T>();
  for (std::int64_t line = 0; line < y[0] * y[1] * y[2]; ++line, out += y[3]) {
    const std::int64_t i = line % y[2], k = line / y[2] % y[1], image = line / y[2] / y[1];
    for (std::int64_t j0 = 0; j0 < y[3]; j0 += tileChannels) {
      const std::int64_t tile = std::min(tileChannels, y[3] - j0);
      Sum<T> sums[tileChannels];
      std::fill_n(sums, tile, Sum<T>{0});
      for (std::int64_t c = 0; c < x[1] && f[3] > 0; ++c)
        for (std::int64_t p = 0; p < f[2]; ++p) {
          const T* row = step.in(0).as<T>() + ((image * x[1] + c) * x[2] + i + p) * x[3] + j0;
          const T* taps = step.in(1).as<T>() + ((k * x[1] + c) * f[2] + p) * f[3];
          for (std::int64_t q = 0; q < f[3]; ++q) {
            const Sum<T> tap = toSum(taps[q]);
            for (std::int64_t j = 0; j < tile; ++j) sums[j] += tap * toSum(row[q + j]);
          }
        }
      for (std::int64_t j = 0; j < tile; ++j) out[j0 + j] = fromSum<T>(sums[j]);
    }
  }
  return true;
}

const char* checkElemsAndRanks(const Step& step) {
  if (step.in(0).elem != step.in(1).elem || step.in(0).elem != step.out(0).elem)
    return "image, filter and result must have one element type";
  if (step.in(0).shape.rank() != 4 || step.in(1).shape.rank() != 4 || step.out(0).shape.rank() != 4)
    return "image, filter and result must have rank 4";
  return nullptr;
}

const char* checkWindows(const Step& step) {
  const Window rows = rowsOf(step), columns = columnsOf(step);
  if (!rows.valid() || !columns.valid()) return "a stride, padding, dilation or size is out of range";
  if (step.out(0).shape[0] != step.in(0).shape[0] || step.out(0).shape[1] != rows.output() ||
      step.out(0).shape[2] != columns.output())
    return "the result has other sizes";
  return nullptr;
}

std::uint64_t count(std::int64_t a, std::int64_t b) {
  return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
}

}  // namespace

const char* prepareConv2d(Step& step) {
  if (const char* problem = checkElemsAndRanks(step)) return problem;
  const Shape& filter = step.in(1).shape;
  if (filter[2] != step.in(0).shape[3] || filter[3] != step.out(0).shape[3]) return "the channels do not fit";
  if (const char* problem = checkWindows(step)) return problem;
  step.macs = count(step.out(0).shape.elements(), filter[0] * filter[1]) * static_cast<std::uint64_t>(filter[2]);
  step.kernel = forElem<numbers>(step.in(0).elem, []<class T>() -> Kernel { return &runConv2d<T>; });
  return step.kernel == nullptr ? "not for this element type" : nullptr;
}

const char* prepareDepthwiseConv2d(Step& step) {
  if (const char* problem = checkElemsAndRanks(step)) return problem;
  const Shape& filter = step.in(1).shape;
  const std::int64_t channels = step.in(0).shape[3];
  std::int64_t results = 0;
  if (filter[2] != channels || __builtin_mul_overflow(channels, filter[3], &results) || results != step.out(0).shape[3])
    return "the channels do not fit";
  if (const char* problem = checkWindows(step)) return problem;
  step.macs = count(step.out(0).shape.elements(), filter[0] * filter[1]);
  step.kernel = forElem<numbers>(step.in(0).elem, []<class T>() -> Kernel { return &runDepthwise<T>; });
  return step.kernel == nullptr ? "not for this element type" : nullptr;
}

const char* prepareConvNchw(Step& step) {
  if (const char* problem = checkElemsAndRanks(step)) return problem;
  const Shape &x = step.in(0).shape, &filter = step.in(1).shape, &y = step.out(0).shape;
  const Window rows{x[2], filter[2], 1, 0, 0, 1}, columns{x[3], filter[3], 1, 0, 0, 1};
  if (x[1] != filter[1] || y[1] != filter[0]) return "the channels do not fit";
  if (!rows.valid() || !columns.valid()) return "a size is out of range";
  if (y[0] != x[0] || y[2] != rows.output() || y[3] != columns.output()) return "the result has other sizes";
  step.macs = count(y.elements(), filter[1]) * count(filter[2], filter[3]);
  step.kernel = forElem<numbers>(step.in(0).elem, []<class T>() -> Kernel { return &runNchw<T>; });
  return step.kernel == nullptr ? "not for this element type" : nullptr;
}

}  // namespace axle::runtime
