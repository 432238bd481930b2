// select(c, a, b): a where c is true, otherwise b. Elements are only moved, so only their width matters.
#include <algorithm>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/pointwise.h"

namespace axle::runtime {
namespace {

constexpr std::int64_t blockWidth = 64;

// Reads the elements of an operand block by block. An operand that stays fills the block with its element.
template <class T>
class Blocks {
 public:
  Blocks(const Row& row, int operand)
      : from_(static_cast<const T*>(row.operands[operand])), moves_(row.moves[operand]) {
    if (!moves_) std::fill_n(filled_, blockWidth, *from_);
  }
  const T* at(std::int64_t i) const { return moves_ ? from_ + i : filled_; }

 private:
  const T* from_;
  bool moves_;
  T filled_[blockWidth];
};

template <class T>
bool rowOfSelect(const Row& row) {
  const Blocks<Bool> conditions(row, 0);
  const Blocks<T> firsts(row, 1), seconds(row, 2);
  auto* const out = static_cast<T*>(row.result);
  for (std::int64_t i = 0; i < row.count; i += blockWidth) {
    const Bool* const c = conditions.at(i);
    const T *const a = firsts.at(i), *const b = seconds.at(i);
    const std::int64_t count = std::min(blockWidth, row.count - i);
#pragma GCC ivdep
    for (std::int64_t k = 0; k < count; ++k) {
      const T first = a[k], second = b[k];
      out[i + k] = widen(c[k]) ? first : second;
    }
  }
  return true;
}

template <class T>
RowChoice choiceOf() {
  return {.kernel = rowOfSelect<T>, .problem = nullptr, .mayStay = true};
}

}  // namespace

RowChoice rowSelect(const Elem* operands, Elem result) {
  if (operands[0] != Elem::boolean) return {nullptr, "the condition is not bool"};
  if (operands[1] != operands[2] || operands[1] != result)
    return {nullptr, "both choices and the result must have one element type"};
  switch (info(result).bytes) {
    case 1:
      return choiceOf<std::uint8_t>();
    case 2:
      return choiceOf<std::uint16_t>();
    case 4:
      return choiceOf<std::uint32_t>();
    default:
      return choiceOf<std::uint64_t>();
  }
}

}  // namespace axle::runtime
