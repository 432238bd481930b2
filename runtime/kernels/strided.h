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

// The loops of an operation over up to three operands that broadcast to one dense output. Axes that are contiguous for
// all operands are merged. `inner` is the size of the innermost; along it an operand advances by `innerStep`, 1 or 0.
class BroadcastLoop {
 public:
  BroadcastLoop(const Shape& output, std::span<const Shape* const> operands);

  std::int64_t inner() const { return inner_; }
  std::int64_t innerStep(int operand) const { return innerStep_[static_cast<std::size_t>(operand)]; }
  // Where the current row of an operand begins, in elements.
  std::int64_t offset(int operand) const { return offset_[static_cast<std::size_t>(operand)]; }
  bool next();  // to the next row; false after the last

 private:
  struct Axis {
    std::int64_t size, position;
    std::array<std::int64_t, 3> stride;
  };
  int rank_ = 0;
  std::int64_t inner_ = 1;
  std::array<std::int64_t, 3> innerStep_{}, offset_{};
  std::array<Axis, maxRank> axes_;
};

}  // namespace axle::runtime
