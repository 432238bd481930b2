// Convolutions: channels last over any number of spatial axes and in groups, and the paper's NCHW by OIHW.
#include <algorithm>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/pixels.h"
#include "runtime/kernels/result_blocks.h"
#include "runtime/kernels/strided.h"
#include "runtime/parts.h"

namespace axle::runtime {
namespace {

// ints: strides, [before, after] for each axis, dilations, spreads, groups
Windows convWindows(const Step& step) {
  Windows windows;
  windows.rank = step.in(0).shape.rank() - 2;
  const int r = windows.rank;
  for (int i = 0; i < r; ++i)
    windows.axis[static_cast<std::size_t>(i)] = {
        step.in(0).shape[i + 1],     step.in(1).shape[i],     step.integer(i),        step.integer(r + 2 * i),
        step.integer(r + 2 * i + 1), step.integer(3 * r + i), step.integer(4 * r + i)};
  return windows;
}

// Adds one tap of one pixel to the sums of result channels [k0, k0 + tile). x: the pixel's channels; w: the tap's
// weights from k0 on. Each group of `width` result channels sees its own `depth` channels. Not inlined: the loops over
// pixels and taps would leave it too few registers.
template <class T>
[[gnu::noinline]] void addTap(Sum<T>* __restrict sums, const T* x, const T* w, std::int64_t k0, std::int64_t tile,
                              std::int64_t depth, std::int64_t width, std::int64_t results) {
  if (width == 1 && depth == 1) {
    for (std::int64_t k = 0; k < tile; ++k) sums[k] += toSum(x[k0 + k]) * toSum(w[k]);
    return;
  }
  for (std::int64_t k = 0; k < tile;) {
    const std::int64_t group = (k0 + k) / width, end = std::min(tile, (group + 1) * width - k0);
    for (std::int64_t c = 0; c < depth; ++c) {
      const Sum<T> value = toSum(x[group * depth + c]);
      const T* row = w + c * results;
      for (std::int64_t j = k; j < end; ++j) sums[j] += value * toSum(row[j]);
    }
    k = end;
  }
}

// Rounds the sums to results. `to` must not overlap `sums`.
template <class T>
void finishSums(T* __restrict to, const Sum<T>* sums, std::int64_t count) {
  for (std::int64_t k = 0; k < count; ++k) to[k] = fromSum<T>(sums[k]);
}

template <class T>
bool runConv(Step& step, Part part, Fault& fault) {
  const Windows windows = convWindows(step);
  const Shape &x = step.in(0).shape, &f = step.in(1).shape, &y = step.out(0).shape;
  const int r = windows.rank;
  const std::int64_t pitch = step.in(0).rowPitch(), depth = f[r], results = y[r + 1],
                     width = results / step.integer(5 * r);
  const std::int64_t image = product(x, 1, r + 1) * pitch;
  const T* filter = step.in(1).as<T>();
  const std::int64_t all = pixelsOf(windows, y), first = part.begin(all);
  ResultBlocks out(step, first);
  bool stored = true;
  forPixels(windows, y, first, part.end(all), [&](std::int64_t n, std::int64_t pixel, const PixelTaps& taps) {
    for (std::int64_t k0 = 0; k0 < results; k0 += tileWidth) {
      const std::int64_t tile = std::min(tileWidth, results - k0);
      alignas(tensorAlignment) Sum<T> sums[tileWidth];
      std::fill_n(sums, tile, Sum<T>{0});
      if (depth > 0)
        forTaps(windows, taps, [&](std::int64_t element, std::int64_t tap) {
          addTap(sums, step.in(0).as<T>() + n * image + element * pitch, filter + tap * depth * results + k0, k0, tile,
                 depth, width, results);
        });
      T kept[tileWidth];
      T* to = out.at(pixel, k0, kept);
      finishSums(to, sums, tile);
      stored = out.store(kept, pixel, k0, tile, fault) && stored;
    }
  });
  return out.finish(fault) && stored;
}

// Computes one row of outputs at a time: each tap adds a shifted piece of an input row.
template <class T>
bool runNchw(Step& step, Fault&) {
  const Shape &x = step.in(0).shape, &f = step.in(1).shape, &y = step.out(0).shape;
  T* out = step.out(0).as<T>();
  for (std::int64_t line = 0; line < y[0] * y[1] * y[2]; ++line, out += y[3]) {
    const std::int64_t i = line % y[2], k = line / y[2] % y[1], image = line / y[2] / y[1];
    for (std::int64_t j0 = 0; j0 < y[3]; j0 += tileWidth) {
      const std::int64_t tile = std::min(tileWidth, y[3] - j0);
      Sum<T> sums[tileWidth];
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

const char* checkElems(const Step& step) {
  return step.in(0).elem == step.in(1).elem && step.in(0).elem == step.baseElem()
             ? nullptr
             : "image, filter and result must have one element type";
}

std::uint64_t count(std::int64_t a, std::int64_t b) {
  return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
}

template <int linked>
const char* chooseConv(Step& step) {
  if (const char* problem = checkElems(step)) return problem;
  const Shape &x = step.in(0).shape, &filter = step.in(1).shape, &y = step.out(0).shape;
  const int rank = x.rank(), r = rank - 2;
  if (rank < 3 || filter.rank() != rank || y.rank() != rank) return "image, filter and result must have one rank, >= 3";
  if (static_cast<int>(step.ints.size()) != 5 * r + 1) return "the number of attributes does not fit the rank";
  const std::int64_t groups = step.integer(5 * r);
  std::int64_t channels = 0;
  if (groups < 1 || __builtin_mul_overflow(groups, filter[r], &channels) || channels != x[rank - 1] ||
      filter[rank - 1] != y[rank - 1] || y[rank - 1] % groups != 0)
    return "the channels do not fit";
  const Windows windows = convWindows(step);
  if (!windows.valid()) return "a stride, padding, dilation or size is out of range";
  if (y[0] != x[0] || !windows.matchResult(y)) return "the result has other sizes";
  step.macs = count(y.elements(), product(filter, 0, r)) * static_cast<std::uint64_t>(filter[r]);
  return divideStep(
      step,
      forElem < numbers & linked > (unsignedOf(step.in(0).elem), []<class T>() -> PartKernel { return &runConv<T>; }),
      *step.macs / 2);
}

}  // namespace

const char* prepareConv(Step& step) { return chooseConv<allElems>(step); }
const char* f32::prepareConv(Step& step) { return chooseConv<onlyF32>(step); }

const char* prepareConvNchw(Step& step) {
  if (const char* problem = checkElems(step)) return problem;
  const Shape &x = step.in(0).shape, &filter = step.in(1).shape, &y = step.out(0).shape;
  if (x.rank() != 4 || filter.rank() != 4 || y.rank() != 4) return "image, filter and result must have rank 4";
  const Window rows{x[2], filter[2], 1, 0, 0, 1}, columns{x[3], filter[3], 1, 0, 0, 1};
  if (x[1] != filter[1] || y[1] != filter[0]) return "the channels do not fit";
  if (!rows.valid() || !columns.valid()) return "a size is out of range";
  if (y[0] != x[0] || y[2] != rows.output() || y[3] != columns.output()) return "the result has other sizes";
  step.macs = count(y.elements(), filter[1]) * count(filter[2], filter[3]);
  step.kernel = forElem<numbers>(unsignedOf(step.in(0).elem), []<class T>() -> Kernel { return &runNchw<T>; });
  return step.kernel == nullptr ? "not for this element type" : nullptr;
}

}  // namespace axle::runtime
