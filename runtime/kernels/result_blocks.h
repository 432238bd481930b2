// Stores results of few columns, and runs their pointwise operators on several rows at once: one row of 16 or 64
// channels is too short to pay for the call of an operator.
#pragma once

#include <array>

#include "runtime/kernels/results.h"
#include "runtime/threads.h"

namespace axle::runtime {

// Like Results, for kernels that compute whole rows in order. Keeps a block of rows and stores it when it is full;
// `finish` stores the last block.
class ResultBlocks {
 public:
  // Results begin at row `firstRow`.
  explicit ResultBlocks(const Step& step, std::int64_t firstRow = 0);

  // Returns where the results of a row go, from this column on.
  template <class T>
  T* at(std::int64_t row, std::int64_t column, T* tile) {
    return blockSize_ == 0 ? results_.at(row, column, tile) : reinterpret_cast<T*>(kept_) + held_;
  }

  // Returns how many of the next results may be stored at once, from the place of the first. Only for results of one
  // column.
  std::int64_t rowsOfOneColumn() const {
    if (blockSize_ != 0) return blockSize_ - held_;
    return chain_.links.empty() ? stripWidth : 1;
  }

  // As Results::store. Call it for all columns of a row, in order.
  bool store(const void* tile, std::int64_t row, std::int64_t column, std::int64_t count, Fault& fault) {
    if (blockSize_ == 0) return results_.store(tile, row, column, count, fault);
    held_ += count;
    return held_ < blockSize_ || finish(fault);
  }

  // Stores the rows that are kept.
  bool finish(Fault& fault);

  // Computes a part of the rows of a call that has only an epilogue. Requires `hasBlocks`.
  bool storePart(Part part, Fault& fault);
  bool hasBlocks() const { return blockSize_ != 0; }

 private:
  static constexpr std::size_t mostCopied = 4;

  struct Operand {
    StripOperand strip;             // the first row, or the copy
    std::byte* copy = nullptr;      // null: read in place
    bool isMoving = false;          // advances from block to block
    bool isCopiedEachTime = false;  // rows have gaps, and are uneven or not whole vectors
  };

  // Returns false if there is no memory for a copy that the operand needs.
  bool addOperand(const TensorView& view, int index);
  void copyRows(int index, std::int64_t firstRow, std::int64_t elements);

  const Results results_;
  const Chain& chain_;
  const TensorView& out_;
  const std::int64_t columns_ = out_.columns();
  std::int64_t blockSize_ = 0;      // elements of all rows of a block; 0: each row is stored separately
  std::int64_t held_ = 0, stored_;  // elements
  std::size_t copied_ = 0;
  std::array<Operand, maxChainOperands> operands_;
  alignas(tensorAlignment) std::byte kept_[stripWidth * 8];
  alignas(tensorAlignment) std::byte copies_[mostCopied][stripWidth * 8];
};

}  // namespace axle::runtime
