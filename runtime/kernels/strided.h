// Copies elements between strided places, and iterates over operands that broadcast.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/tensor.h"
#include "runtime/threads.h"

namespace axle::runtime {

// Returns the stride of each axis of a dense tensor, in elements.
std::array<std::int64_t, maxRank> denseStrides(const Shape& shape);

// Returns the product of the sizes of axes [from, to).
std::int64_t product(const Shape& shape, int from, int to);

// One loop of a copy: `size` iterations, which advance the two places by `to` and `from` elements (may be negative).
struct CopyAxis {
  std::int64_t size, to, from;
};

// Copies along at most 20 axes, outermost first. `elemBytes` is 1, 2, 4 or 8.
void stridedCopy(void* to, const void* from, std::span<const CopyAxis> axes, std::size_t elemBytes);

// A part of the same copy, which divides the outermost loop of at least `part.count` iterations, or the longest one.
void stridedCopyPart(void* to, const void* from, std::span<CopyAxis> axes, std::size_t elemBytes, Part part);

// Whether `shape` broadcasts to `target`: aligned at the right, each size is equal or 1.
bool stretches(const Shape& shape, const Shape& target);

// Returns the stride of each axis, in elements, with the view's pitch.
std::array<std::int64_t, maxRank> stridesOf(const TensorView& view);

inline constexpr int maxChainOperands = 14;

// The loops of an operation over operands that broadcast to a result. Merges axes that are contiguous in all of them.
// `inner` is the size of the innermost loop, along which tensor k advances by `innerStep(k)` elements. Tensor 0 is the
// result, the others are the operands.
class BroadcastLoop {
 public:
  static constexpr int most = maxChainOperands + 1;

  BroadcastLoop(const TensorView& result, std::span<const TensorView* const> operands);

  std::int64_t inner() const { return inner_; }
  std::int64_t innerStep(int tensor) const { return innerStep_[static_cast<std::size_t>(tensor)]; }
  // Returns where the current row of a tensor begins, in elements.
  std::int64_t offset(int tensor) const { return offset_[static_cast<std::size_t>(tensor)]; }
  bool next();  // moves to the next row; false after the last
  std::int64_t rows() const;
  void moveTo(std::int64_t row);  // call it before the first `next`

 private:
  struct Axis {
    std::int64_t size, position;
    std::array<std::int64_t, most> stride;
  };
  int rank_ = 0;
  std::size_t tensors_;
  std::int64_t inner_ = 1;
  std::array<std::int64_t, most> innerStep_, offset_;  // of the tensors present
  std::array<Axis, maxRank> axes_;
};

// Returns an operand's stride, in elements, along each axis of the result it broadcasts to.
std::array<std::int64_t, maxRank> broadcastStrides(const TensorView& operand, const Shape& result);

}  // namespace axle::runtime
