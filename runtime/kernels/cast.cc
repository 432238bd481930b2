// Casts between all element types. A float becomes an integer by rounding toward zero, clamped to the integer's range;
// NaN becomes 0. An integer becomes a narrower one by dropping its upper bits. All values but 0 are true.
#include <cstring>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/widened_rows.h"

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
  if constexpr (std::is_same_v<To, Bool>)
    return narrow<Bool>(x != Wide<From>{0});
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<Wide<From>>)
    return saturated<To>(x);
  else
    return narrow<To>(static_cast<Wide<To>>(x));
}

template <class From, class To>
bool rowOfCast(const Row& row) {
  const auto* x = static_cast<const From*>(row.operands[0]);
  auto* y = static_cast<To*>(row.result);
  for (std::int64_t i = 0; i < row.count; ++i) y[i] = convert<From, To>(x[i]);
  return true;
}

// For a second rounding, to f16 or bf16.
bool rowOfOddFloats(const Row& row) {
  const auto* x = static_cast<const double*>(row.operands[0]);
  auto* y = static_cast<float*>(row.result);
  for (std::int64_t i = 0; i < row.count; ++i) y[i] = toOddFloat(x[i]);
  return true;
}

// The kernel between two types other than f16 and bf16.
RowKernel castKernel(Elem operand, Elem result) {
  constexpr int set = allElems & ~onlyHalves;
  return forElem<set>(operand, [result]<class From>() -> RowKernel {
    return forElem<set>(result, []<class To>() -> RowKernel {
      if constexpr (std::is_same_v<From, To>)
        return nullptr;
      else
        return &rowOfCast<From, To>;
    });
  });
}

bool copyRow(const Row& row, std::size_t bytes) {
  std::memmove(row.result, row.operands[0], static_cast<std::size_t>(row.count) * bytes);
  return true;
}

}  // namespace

RowChoice rowBitcast(const Elem* operands, Elem result) {
  if (info(operands[0]).bytes != info(result).bytes) return {nullptr, "input and output differ in width"};
  switch (info(result).bytes) {
    case 1:
      return {[](const Row& row) { return copyRow(row, 1); }, nullptr};
    case 2:
      return {[](const Row& row) { return copyRow(row, 2); }, nullptr};
    case 4:
      return {[](const Row& row) { return copyRow(row, 4); }, nullptr};
    default:
      return {[](const Row& row) { return copyRow(row, 8); }, nullptr};
  }
}

RowChoice rowCast(const Elem* operands, Elem result) {
  if (operands[0] == result) return rowBitcast(operands, result);
  const Elem from = computedIn(operands[0]), to = computedIn(result);
  RowChoice choice{castKernel(from, to), nullptr};
  if (from == to)
    choice = rowBitcast(&from, to);
  else if (from == Elem::f64 && to != result)
    choice.kernel = rowOfOddFloats;
  else if (choice.kernel == nullptr)
    return {nullptr, "not for this element type"};
  return from == operands[0] && to == result ? choice : widenedRows(choice, 1, operands[0], result);
}

}  // namespace axle::runtime
