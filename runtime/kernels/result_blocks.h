// Stores results of few columns, whose pointwise operators run on several rows at once: rows of 16 or 64 channels are
// too short to pay for each operator by themselves.
#pragma once

#include <array>

#include "runtime/kernels/results.h"
#include "runtime/threads.h"

namespace axle::runtime {

// Like Results, for kernels that make whole rows one after another. A block of rows is kept and stored when it is full;
// `finish` stores the last one.
class ResultBlocks {
 public:
  // From this row on.
  explicit ResultBlocks(const Step& step, std::int64_t firstRow = 0);

  // Where the results of a row from this column on go.
  template <class T>
  T* at(std::int64_t row, std::int64_t column, T* tile) {
    return blockSize_ == 0 ? results_.at(row, column, tile) : reinterpret_cast<T*>(kept_) + held_;
  }

  // Where results have one column: how many of the next ones may be stored at once, from the place of the first.
  std::int64_t rowsOfOneColumn() const {
    if (blockSize_ != 0) return blockSize_ - held_;
    return chain_.links.empty() ? stripWidth : 1;
  }

  // As Results::store; the last columns of a row end it.
  bool store(const void* tile, std::int64_t row, std::int64_t column, std::int64_t count, Fault& fault) {
    if (blockSize_ == 0) return results_.store(tile, row, column, count, fault);
    held_ += count;
    return held_ < blockSize_ || finish(fault);
  }

  // Stores the rows that are kept.
  bool finish(Fault& fault);

  // Of a call without an operator of its own, if it has blocks: computes a part of the rows.
  bool storePart(Part part, Fault& fault);
  bool hasBlocks() const { return blockSize_ != 0; }

 private:
  static constexpr std::size_t mostCopied = 4;

  struct Operand {
    StripOperand strip;             // of the first row; of a copy its place
    std::byte* copy = nullptr;      // none: it is read where it lies
    bool isMoving = false;          // goes on from block to block
    bool isCopiedEachTime = false;  // its rows lie apart, and not evenly or of no whole vectors
  };

  // Whether there is memory for the copy that it may need.
  bool addOperand(const TensorView& view, int index);
  void copyRows(int index, std::int64_t firstRow, std::int64_t elements);

  const Results results_;
  const Chain& chain_;
  const TensorView& out_;
  const std::int64_t columns_ = out_.columns();
  std::int64_t blockSize_ = 0;      // elements of all rows of a block; 0: each row is stored by itself
  std::int64_t held_ = 0, stored_;  // elements
  std::size_t copied_ = 0;
  std::array<Operand, maxChainOperands> operands_;
  alignas(tensorAlignment) std::byte kept_[stripWidth * 8];
  alignas(tensorAlignment) std::byte copies_[mostCopied][stripWidth * 8];
};

}  // namespace axle::runtime
