// Moving elements between strided places, and walking operands that broadcast.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/tensor.h"

namespace axle::runtime {

// Element counts between neighbours along each axis of a dense tensor.
std::array<std::int64_t, maxRank> denseStrides(const Shape& shape);

// Product of the sizes of axes [from, to).
std::int64_t product(const Shape& shape, int from, int to);

// One loop of a copy: `size` elements, `to` and `from` apart (in elements, negative is allowed).
struct CopyAxis {
  std::int64_t size, to, from;
};

// Copies along at most 20 axes, outermost first. `elemBytes` is 1, 2, 4 or 8.
void stridedCopy(void* to, const void* from, std::span<const CopyAxis> axes, std::size_t elemBytes);

// Whether `shape` stretches to `target`: aligned at the right, each size equal or 1.
bool stretches(const Shape& shape, const Shape& target);

// Elements from one to the next along each axis, with the view's pitch.
std::array<std::int64_t, maxRank> stridesOf(const TensorView& view);

inline constexpr int maxChainOperands = 14;

// The loops of an operation over operands that broadcast to a result. Axes that are contiguous for all of them are
// merged. `inner` is the size of the innermost; along it tensor k advances by `innerStep(k)` elements. Tensor 0 is the
// result, the others are the operands.
class BroadcastLoop {
 public:
  static constexpr int most = maxChainOperands + 1;

  BroadcastLoop(const TensorView& result, std::span<const TensorView* const> operands);

  std::int64_t inner() const { return inner_; }
  std::int64_t innerStep(int tensor) const { return innerStep_[static_cast<std::size_t>(tensor)]; }
  // Where the current row of a tensor begins, in elements.
  std::int64_t offset(int tensor) const { return offset_[static_cast<std::size_t>(tensor)]; }
  bool next();  // to the next row; false after the last
  std::int64_t rows() const;
  void moveTo(std::int64_t row);  // before the first call of `next`

 private:
  struct Axis {
    std::int64_t size, position;
    std::array<std::int64_t, most> stride;
  };
  int rank_ = 0;
  std::size_t tensors_;
  std::int64_t inner_ = 1;
  std::array<std::int64_t, most> innerStep_, offset_;  // of the tensors that there are
  std::array<Axis, maxRank> axes_;
};

// Elements from one to the next along each of the result's axes of an operand that broadcasts to it.
std::array<std::int64_t, maxRank> broadcastStrides(const TensorView& operand, const Shape& result);

}  // namespace axle::runtime
