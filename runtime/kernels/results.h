// Where a kernel stores its results: in the output, or through the epilogue of its call.
#pragma once

#include <array>

#include "runtime/kernels/strided.h"
#include "runtime/program.h"

namespace axle::runtime {

// The output's rows are all axes but the last, row-major; its columns are the last axis.
class Results {
 public:
  explicit Results(Step& step) : chain_(step.chain), out_(step.out(0)) {
    const Shape& shape = out_.shape;
    const int rank = shape.rank();
    for (int i = chain_.first; i < chain_.operands; ++i) {
      const TensorView& view = step.in(i);
      Operand& operand = operands_[static_cast<std::size_t>(i - chain_.first)];
      operand.view = &view;
      operand.strides = broadcastStrides(view, shape);
      operand.bytes = static_cast<std::uint8_t>(info(view.elem).bytes);
      for (int axis = rank - 3; axis >= 0; --axis) {
        const auto k = static_cast<std::size_t>(axis);
        if (shape[axis] != 1 && operand.strides[k] != operand.strides[k + 1] * shape[axis + 1]) operand.even = false;
      }
    }
  }

  // Where results from this place on go: the output, or `tile` if there is an epilogue.
  template <class T>
  T* at(std::int64_t row, std::int64_t column, T* tile) const {
    return chain_.links.empty() ? out_.as<T>() + row * out_.rowPitch() + column : tile;
  }

  // An operand of the epilogue, from a place of the result on.
  StripOperand operandAt(int index, std::int64_t row, std::int64_t column) const {
    const Operand& operand = operands_[static_cast<std::size_t>(index)];
    const int rank = out_.shape.rank();
    const std::int64_t step = rank == 0 ? 0 : operand.strides[static_cast<std::size_t>(rank - 1)];
    return {operand.view->as<std::byte>() + (offsetOf(operand, row) + column * step) * operand.bytes, step,
            operand.bytes};
  }

  // Applies the epilogue to `count` <= stripWidth results; call it after all results that `at` gave a place for.
  bool store(const void* tile, std::int64_t row, std::int64_t column, std::int64_t count, Fault& fault) const {
    if (chain_.links.empty()) return true;
    StripOperand strip[BroadcastLoop::most];
    const int operands = chain_.operands - chain_.first;
    for (int i = 0; i < operands; ++i) strip[i] = operandAt(i, row, column);
    strip[operands] = {static_cast<const std::byte*>(tile), 1, chain_.baseBytes};
    std::byte* to =
        out_.as<std::byte>() + (row * out_.rowPitch() + column) * static_cast<std::int64_t>(info(out_.elem).bytes);
    if (runStrip(chain_, strip - chain_.first, to, 1, count)) return true;
    fault.code = ErrorCode::divisionByZero;
    fault.message = "an integer is divided by zero";
    return false;
  }

 private:
  struct Operand {
    const TensorView* view = nullptr;
    std::array<std::int64_t, maxRank> strides{};
    std::uint8_t bytes = 0;
    bool even = true;  // its rows are equally far apart
  };

  std::int64_t offsetOf(const Operand& operand, std::int64_t row) const {
    const int rank = out_.shape.rank();
    if (rank < 2) return 0;
    if (operand.even && out_.shape[rank - 2] != 1) return row * operand.strides[static_cast<std::size_t>(rank - 2)];
    std::int64_t offset = 0;
    for (int axis = rank - 2; axis >= 0; row /= out_.shape[axis], --axis)
      offset += row % out_.shape[axis] * operand.strides[static_cast<std::size_t>(axis)];
    return offset;
  }

  const Chain& chain_;
  const TensorView& out_;
  std::array<Operand, maxChainOperands> operands_;
};

// Stores results that a kernel computes one after another, in row-major order.
template <class T>
class ResultsInOrder {
 public:
  ResultsInOrder(Step& step, Fault& fault) : results_(step), fault_(fault), columns_(step.out(0).columns()) { begin(); }

  // False after setting the fault.
  bool put(T value) {
    to_[count_++] = value;
    return count_ < stripWidth && column_ + count_ < columns_ ? true : flush();
  }
  bool flush() {
    if (count_ > 0 && !results_.store(tile_, row_, column_, count_, fault_)) return false;
    column_ += count_;
    if (column_ == columns_) ++row_, column_ = 0;
    begin();
    return true;
  }

 private:
  void begin() {
    count_ = 0;
    to_ = results_.at(row_, column_, tile_);
  }

  const Results results_;
  Fault& fault_;
  const std::int64_t columns_;
  std::int64_t row_ = 0, column_ = 0, count_ = 0;
  T* to_ = nullptr;
  T tile_[stripWidth];
};

}  // namespace axle::runtime
