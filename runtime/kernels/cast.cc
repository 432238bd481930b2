// Casts between all element types. A float becomes an integer by rounding toward zero, clamped to the integer's range;
// NaN becomes 0. An integer becomes a narrower one by dropping its upper bits. All values but 0 are true.
#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"

namespace axle::runtime {
namespace {

template <class To, class From>
To saturated(From x) {
  constexpr int digits = std::numeric_limits<To>::digits;
  constexpr From limit = static_cast<From>(std::uint64_t{1} << (digits - 1)) * 2;  // 2^digits: the first one too large
  if (!(x == x)) return 0;
  if (x >= limit) return std::numeric_limits<To>::max();
  if (std::is_unsigned_v<To> ? x <= From{0} : x < -limit) return std::numeric_limits<To>::min();
  return static_cast<To>(x);
}

template <class From, class To>
To convert(From from) {
  const Wide<From> x = widen(from);
  if constexpr (std::is_same_v<To, From>)
    return from;
  else if constexpr (std::is_same_v<To, Bool>)
    return narrow<Bool>(x != Wide<From>{0});
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<Wide<From>>)
    return saturated<To>(x);
  else if constexpr (std::is_same_v<Wide<To>, float> && sizeof(To) == 2 && std::is_same_v<From, double>)
    return narrow<To>(toOddFloat(x));
  else
    return narrow<To>(static_cast<Wide<To>>(x));
}

template <class From, class To>
bool run(Step& step, Fault&) {
  const From* x = step.in(0).as<From>();
  To* y = step.out(0).as<To>();
  const std::int64_t count = step.out(0).shape.elements();
  for (std::int64_t i = 0; i < count; ++i) y[i] = convert<From, To>(x[i]);
  return true;
}

}  // namespace

const char* prepareCast(Step& step) {
  if (!(step.in(0).shape == step.out(0).shape)) return "input and output differ in shape";
  const Elem to = step.out(0).elem;
  step.kernel = forElem<allElems>(step.in(0).elem, [to]<class From>() -> Kernel {
    return forElem<allElems>(to, []<class To>() -> Kernel { return &run<From, To>; });
  });
  return step.kernel == nullptr ? "not for this element type" : nullptr;
}

}  // namespace axle::runtime
