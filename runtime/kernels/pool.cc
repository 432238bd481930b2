// Pools, channels last, over any number of spatial axes. Padding does not count: a maximum is over the pixels inside
// the image, an average divides by their number. A window entirely outside gives the lowest value, or 0 for an average.
#include <algorithm>

#include "runtime/kernels/combined_rows.h"
#include "runtime/kernels/elements.h"
#include "runtime/kernels/halves.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/pixels.h"
#include "runtime/kernels/result_blocks.h"
#include "runtime/kernels/strided.h"
#include "runtime/parts.h"

namespace axle::runtime {
namespace {

// ints: sizes, strides, [before, after] for each axis
Windows poolWindows(const Step& step) {
  Windows windows;
  windows.rank = step.in(0).shape.rank() - 2;
  const int r = windows.rank;
  for (int i = 0; i < r; ++i)
    windows.axis[static_cast<std::size_t>(i)] = {step.in(0).shape[i + 1],
                                                 step.integer(i),
                                                 step.integer(r + i),
                                                 step.integer(2 * r + 2 * i),
                                                 step.integer(2 * r + 2 * i + 1),
                                                 1};
  return windows;
}

template <class T>
struct Max {
  static CombineRows rows() { return AXLE_KERNELS_IN_USE(maxRows); }
  static constexpr bool startsFromFirst = true;  // the result is one of the elements, if there are any
  using Kept = Wide<T>;
  static Kept begin() { return lowestOf<Kept>(); }
  static Kept combine(Kept a, T b) { return greaterOf(a, widen(b)); }
  static T finish(Kept a, std::int64_t) { return narrow<T>(a); }
};

template <class T>
struct Average {
  static CombineRows rows() { return AXLE_KERNELS_IN_USE(sumRows); }
  static constexpr bool startsFromFirst = false;
  using Kept = Sum<T>;
  static Kept begin() { return Kept{0}; }
  static Kept combine(Kept a, T b) { return a + toSum(b); }
  static Kept average(Kept a, std::int64_t count) { return count == 0 ? Kept{0} : a / static_cast<Kept>(count); }
  static T finish(Kept a, std::int64_t count) {
    if constexpr (std::is_floating_point_v<Kept>) {
      return narrow<T>(average(a, count));
    } else {
      const auto sum = static_cast<std::int64_t>(static_cast<std::make_signed_t<Kept>>(a));
      if (count == 0) return T{0};
      if constexpr (std::is_unsigned_v<T>)
        return static_cast<T>(a / static_cast<Kept>(count));
      else
        return static_cast<T>(sum / count - (sum % count < 0 ? 1 : 0));
    }
  }
};

// Whether windows move by one element along rows of one channel, without padding.
bool isAlongRows(const Step& step, const Windows& windows) {
  const Window& w = windows.axis[0];
  return windows.rank == 1 && w.stride == 1 && w.before == 0 && w.after == 0 && w.size > 0 &&
         step.in(0).columns() == 1 && step.in(0).dense() && step.out(0).dense();
}

// Computes many neighbouring results at once: combines, element by element, rows that begin one element apart.
template <class P>
bool runAlongRows(Step& step, const Window& window, Part part, Fault& fault) {
  const std::int64_t length = step.out(0).shape[1], all = step.out(0).shape[0] * length, last = part.end(all);
  std::int64_t pixel = part.begin(all);
  ResultBlocks out(step, pixel);
  while (pixel < last) {
    const std::int64_t image = pixel / length, at = pixel % length,
                       count = std::min({length - at, last - pixel, out.rowsOfOneColumn()});
    float tile[stripWidth];
    float* const to = out.at(pixel, 0, tile);
    if (!P::startsFromFirst) std::fill_n(to, count, P::begin());
    CombinedRows rows(P::rows(), count, to, !P::startsFromFirst);
    const float* const from = step.in(0).as<float>() + image * window.input + at;
    for (std::int64_t tap = 0; tap < window.size; ++tap) rows.add(from + tap);
    rows.combine();
    if (!P::startsFromFirst)
      for (std::int64_t i = 0; i < count; ++i) to[i] = P::finish(to[i], window.size);
    if (!out.store(tile, pixel, 0, count, fault)) return false;
    pixel += count;
  }
  return out.finish(fault);
}

constexpr std::int64_t tapsAtOnce = 9;  // of pixels that are widened

template <class T, template <class> class Pool>
bool runPool(Step& step, Part part, Fault& fault) {
  using P = Pool<T>;
  const Windows windows = poolWindows(step);
  if constexpr (std::is_same_v<T, float>)
    if (isAlongRows(step, windows)) return runAlongRows<P>(step, windows.axis[0], part, fault);
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const std::int64_t channels = x[windows.rank + 1], pitch = step.in(0).rowPitch(),
                     image = product(x, 1, windows.rank + 1) * pitch;
  const std::int64_t all = pixelsOf(windows, y), first = part.begin(all);
  ResultBlocks out(step, first);
  bool stored = true;
  forPixels(windows, y, first, part.end(all), [&](std::int64_t n, std::int64_t pixel, const PixelTaps& taps) {
    for (std::int64_t c0 = 0; c0 < channels; c0 += tileWidth) {
      const std::int64_t tile = std::min(tileWidth, channels - c0);
      const T* const pixels = step.in(0).as<T>() + n * image + c0;
      T finished[tileWidth];
      T* to = out.at(pixel, c0, finished);
      if constexpr (std::is_same_v<T, float>) {
        if (!P::startsFromFirst || taps.count == 0) std::fill_n(to, tile, P::begin());
        CombinedRows rows(P::rows(), tile, to, !P::startsFromFirst || taps.count == 0);
        forTaps(windows, taps, [&](std::int64_t element, std::int64_t) { rows.add(pixels + element * pitch); });
        rows.combine();
        if (!P::startsFromFirst)
          for (std::int64_t c = 0; c < tile; ++c) to[c] = P::finish(to[c], taps.count);
      } else if constexpr (isHalfType<T>) {
        float kept[tileWidth], widened[tapsAtOnce][tileWidth];
        std::fill_n(kept, tile, P::begin());
        CombinedRows rows(P::rows(), tile, kept, true);
        std::int64_t tap = 0;
        forTaps(windows, taps, [&](std::int64_t element, std::int64_t) {
          if (tap == tapsAtOnce) rows.combine(), tap = 0;
          widenHalves(halfElem<T>)({bitsOf(pixels + element * pitch), 0, 1, tile, widened[tap], 0});
          rows.add(widened[tap++]);
        });
        rows.combine();
        if constexpr (!P::startsFromFirst)
          for (std::int64_t c = 0; c < tile; ++c) kept[c] = P::average(kept[c], taps.count);
        storeHalves(halfElem<T>)({kept, 0, 1, tile, bitsOf(to), 0});
      } else {
        typename P::Kept kept[tileWidth];
        std::fill_n(kept, tile, P::begin());
        forTaps(windows, taps, [&](std::int64_t element, std::int64_t) {
          const T* at = pixels + element * pitch;
          for (std::int64_t c = 0; c < tile; ++c) kept[c] = P::combine(kept[c], at[c]);
        });
        for (std::int64_t c = 0; c < tile; ++c) to[c] = P::finish(kept[c], taps.count);
      }
      stored = out.store(finished, pixel, c0, tile, fault) && stored;
    }
  });
  return out.finish(fault) && stored;
}

template <template <class> class Pool, int linked = allElems>
const char* preparePool(Step& step) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const int rank = x.rank();
  if (step.in(0).elem != step.baseElem()) return "image and result differ in element type";
  if (rank < 3 || y.rank() != rank) return "image and result must have one rank, >= 3";
  if (static_cast<int>(step.ints.size()) != 4 * (rank - 2)) return "the number of attributes does not fit the rank";
  const Windows windows = poolWindows(step);
  if (!windows.valid()) return "a size, stride or padding is out of range";
  if (y[0] != x[0] || !windows.matchResult(y) || y[rank - 1] != x[rank - 1]) return "the result has other sizes";
  auto taken = static_cast<std::uint64_t>(y.elements());
  for (int i = 0; i < windows.rank; ++i) taken *= static_cast<std::uint64_t>(step.integer(i));
  return divideStep(
      step, forElem < numbers & linked > (step.in(0).elem, []<class T>() -> PartKernel { return &runPool<T, Pool>; }),
      taken / 8);
}

}  // namespace

const char* prepareMaxPool(Step& step) { return preparePool<Max>(step); }
const char* prepareAvgPool(Step& step) { return preparePool<Average>(step); }
const char* f32::prepareMaxPool(Step& step) { return preparePool<Max, onlyF32>(step); }
const char* f32::prepareAvgPool(Step& step) { return preparePool<Average, onlyF32>(step); }

}  // namespace axle::runtime
