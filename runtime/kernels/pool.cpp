// Pools over NHWC images. Padding takes no part: a maximum is over what lies inside of the image, an average divides by
// its number. A window that lies outside altogether gives the least value, or 0.
#include <algorithm>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/window.h"

namespace axle::runtime {
namespace {

constexpr std::int64_t tileChannels = 128;

// ints: size h w, stride h w, pad top bottom left right
Window rowsOf(const Step& step) {
  return {step.in(0).shape[1], step.integer(0), step.integer(2), step.integer(4), step.integer(5), 1};
}
Window columnsOf(const Step& step) {
  return {step.in(0).shape[2], step.integer(1), step.integer(3), step.integer(6), step.integer(7), 1};
}

template <class T>
struct Max {
  using Kept = Wide<T>;
  static Kept begin() { return lowestOf<Kept>(); }
  static Kept combine(Kept a, T b) { return greaterOf(a, widen(b)); }
  static T finish(Kept a, std::int64_t) { return narrow<T>(a); }
};

template <class T>
struct Average {
  using Kept = Sum<T>;
  static Kept begin() { return Kept{0}; }
  static Kept combine(Kept a, T b) { return a + toSum(b); }
  static T finish(Kept a, std::int64_t count) {
    if constexpr (std::is_floating_point_v<Kept>) {
      return narrow<T>(count == 0 ? Kept{0} : a / static_cast<Kept>(count));
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

template <class T, template <class> class Pool>
bool run(Step& step, Fault&) {
  using P = Pool<T>;
  const Window rows = rowsOf(step), columns = columnsOf(step);
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const std::int64_t channels = x[3];
  T* out = step.out(0).as<T>();
  for (std::int64_t pixel = 0; pixel < y[0] * y[1] * y[2]; ++pixel, out += channels) {
    const std::int64_t j = pixel % y[2], i = pixel / y[2] % y[1];
    const T* image = step.in(0).as<T>() + pixel / y[2] / y[1] * x[1] * x[2] * channels;
    const Range r = rows.inside(i), s = columns.inside(j);
    const std::int64_t count = (r.end - r.begin) * (s.end - s.begin);
    for (std::int64_t c0 = 0; c0 < channels; c0 += tileChannels) {
      const std::int64_t tile = std::min(tileChannels, channels - c0);
      typename P::Kept kept[tileChannels];
      std::fill_n(kept, tile, P::begin());
      for (std::int64_t p = r.begin; p < r.end; ++p)
        for (std::int64_t q = s.begin; q < s.end; ++q) {
          const T* at = image + ((rows.start(i) + p) * x[2] + columns.start(j) + q) * channels + c0;
          for (std::int64_t c = 0; c < tile; ++c) kept[c] = P::combine(kept[c], at[c]);
        }
      for (std::int64_t c = 0; c < tile; ++c) out[c0 + c] = P::finish(kept[c], count);
    }
  }
  return true;
}

template <template <class> class Pool>
const char* prepare(Step& step) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  if (step.in(0).elem != step.out(0).elem) return "image and result differ in element type";
  if (x.rank() != 4 || y.rank() != 4) return "image and result must have rank 4";
  const Window rows = rowsOf(step), columns = columnsOf(step);
  if (!rows.valid() || !columns.valid()) return "a size, stride or padding is out of range";
  if (y[0] != x[0] || y[1] != rows.output() || y[2] != columns.output() || y[3] != x[3])
    return "the result has other sizes";
  step.kernel = forElem<numbers>(step.in(0).elem, []<class T>() -> Kernel { return &run<T, Pool>; });
  return step.kernel == nullptr ? "not for this element type" : nullptr;
}

}  // namespace

const char* prepareMaxPool(Step& step) { return prepare<Max>(step); }
const char* prepareAvgPool(Step& step) { return prepare<Average>(step); }

}  // namespace axle::runtime
