// select(c, a, b): a where c is true, else b. Elements are moved, so only their width matters.
#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/strided.h"

namespace axle::runtime {
namespace {

template <class T>
bool run(Step& step, Fault&) {
  const Shape* shapes[] = {&step.in(0).shape, &step.in(1).shape, &step.in(2).shape};
  BroadcastLoop loop(step.out(0).shape, shapes);
  const std::int64_t stepC = loop.innerStep(0), stepA = loop.innerStep(1), stepB = loop.innerStep(2);
  T* out = step.out(0).as<T>();
  do {
    const Bool* c = step.in(0).as<Bool>() + loop.offset(0);
    const T* a = step.in(1).as<T>() + loop.offset(1);
    const T* b = step.in(2).as<T>() + loop.offset(2);
    for (std::int64_t i = 0; i < loop.inner(); ++i) out[i] = widen(c[i * stepC]) ? a[i * stepA] : b[i * stepB];
    out += loop.inner();
  } while (loop.next());
  return true;
}

}  // namespace

const char* prepareSelect(Step& step) {
  if (step.in(0).elem != Elem::boolean) return "the condition is not bool";
  if (step.in(1).elem != step.in(2).elem || step.in(1).elem != step.out(0).elem)
    return "both choices and the result must have one element type";
  for (int i = 0; i < 3; ++i)
    if (!stretches(step.in(i).shape, step.out(0).shape)) return "the operands do not stretch to the result's shape";
  switch (info(step.out(0).elem).bytes) {
    case 1:
      step.kernel = run<std::uint8_t>;
      break;
    case 2:
      step.kernel = run<std::uint16_t>;
      break;
    case 4:
      step.kernel = run<std::uint32_t>;
      break;
    default:
      step.kernel = run<std::uint64_t>;
      break;
  }
  return nullptr;
}

}  // namespace axle::runtime
