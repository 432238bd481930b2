// select(c, a, b): a where c is true, else b. Elements are moved, so only their width matters.
#include "runtime/kernels/elements.h"
#include "runtime/kernels/pointwise.h"

namespace axle::runtime {
namespace {

template <class T>
bool rowOfSelect(const Row& row) {
  const auto* c = static_cast<const Bool*>(row.operands[0]);
  const auto* a = static_cast<const T*>(row.operands[1]);
  const auto* b = static_cast<const T*>(row.operands[2]);
  auto* out = static_cast<T*>(row.result);
  for (std::int64_t i = 0; i < row.count; ++i) out[i] = widen(c[i]) ? a[i] : b[i];
  return true;
}

}  // namespace

RowChoice rowSelect(const Elem* operands, Elem result) {
  if (operands[0] != Elem::boolean) return {nullptr, "the condition is not bool"};
  if (operands[1] != operands[2] || operands[1] != result)
    return {nullptr, "both choices and the result must have one element type"};
  switch (info(result).bytes) {
    case 1:
      return {rowOfSelect<std::uint8_t>, nullptr};
    case 2:
      return {rowOfSelect<std::uint16_t>, nullptr};
    case 4:
      return {rowOfSelect<std::uint32_t>, nullptr};
    default:
      return {rowOfSelect<std::uint64_t>, nullptr};
  }
}

}  // namespace axle::runtime
