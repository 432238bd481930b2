// Where a kernel stores its results: in the output, or through the epilogue of its call.
#pragma once

#include <array>

#include "runtime/kernels/strided.h"
#include "runtime/program.h"

namespace axle::runtime {

// Whether an epilogue succeeded; if not, the fault says so.
inline bool reportDivision(bool succeeded, Fault& fault) {
  if (succeeded) return true;
  fault.code = ErrorCode::divisionByZero;
  fault.message = "an integer is divided by zero";
  return false;
}

// The output's rows are all axes but the last, row-major; its columns are the last axis.
class Results {
 public:
  explicit Results(const Step& step) : chain_(step.chain), out_(step.out(0)) {
    for (int i = chain_.first; i < chain_.operands; ++i)
      operands_[static_cast<std::size_t>(i - chain_.first)] = operandOf(step.in(i));
  }

  // Where results from this place on go: the output, or `tile` if there is an epilogue.
  template <class T>
  T* at(std::int64_t row, std::int64_t column, T* tile) const {
    return chain_.links.empty() ? out_.as<T>() + row * outPitch_ + column : tile;
  }

  // An operand of the epilogue, from a place of the result on.
  StripOperand operandAt(int index, std::int64_t row, std::int64_t column) const {
    const Operand& operand = operands_[static_cast<std::size_t>(index)];
    const std::int64_t offset =
        (operand.isEven ? row * operand.rowStep : offsetOf(operand, row)) + column * operand.step;
    return {operand.data + offset * operand.bytes, operand.step, operand.bytes};
  }

  // Applies the epilogue to `count` <= stripWidth results; call it after all results that `at` gave a place for.
  bool store(const void* tile, std::int64_t row, std::int64_t column, std::int64_t count, Fault& fault) const {
    if (chain_.links.empty()) return true;
    StripOperand strip[BroadcastLoop::most];
    const int operands = chain_.operands - chain_.first;
    for (int i = 0; i < operands; ++i) strip[i] = operandAt(i, row, column);
    strip[operands] = {static_cast<const std::byte*>(tile), 1, chain_.baseBytes};
    std::byte* to = out_.as<std::byte>() + (row * outPitch_ + column) * outBytes_;
    return reportDivision(runStrip(chain_, strip - chain_.first, to, 1, count), fault);
  }

 private:
  struct Operand {
    const std::byte* data = nullptr;
    std::int64_t step = 0, rowStep = 0;  // from column to column; from row to row if these are equally far apart
    std::array<std::int64_t, maxRank> strides;
    std::uint8_t bytes = 0;
    bool isEven = true;
  };

  Operand operandOf(const TensorView& view) const {
    const Shape& shape = out_.shape;
    Operand operand;
    operand.data = view.as<std::byte>();
    operand.bytes = static_cast<std::uint8_t>(info(view.elem).bytes);
    if (shape.rank() == 0) return operand;
    operand.strides = broadcastStrides(view, shape);
    operand.step = operand.strides[static_cast<std::size_t>(shape.rank() - 1)];
    std::int64_t whole = 0;  // what the axis before must advance by, if there is one
    bool isInner = true;
    for (int axis = shape.rank() - 2; axis >= 0; --axis) {
      const std::int64_t stride = operand.strides[static_cast<std::size_t>(axis)];
      if (shape[axis] == 1) continue;
      if (isInner)
        operand.rowStep = stride;
      else if (stride != whole)
        operand.isEven = false;
      whole = stride * shape[axis];
      isInner = false;
    }
    return operand;
  }

  std::int64_t offsetOf(const Operand& operand, std::int64_t row) const {
    std::int64_t offset = 0;
    for (int axis = out_.shape.rank() - 2; axis >= 0; row /= out_.shape[axis], --axis)
      offset += row % out_.shape[axis] * operand.strides[static_cast<std::size_t>(axis)];
    return offset;
  }

  const Chain& chain_;
  const TensorView& out_;
  const std::int64_t outPitch_ = out_.rowPitch(), outBytes_ = static_cast<std::int64_t>(info(out_.elem).bytes);
  std::array<Operand, maxChainOperands> operands_;
};

}  // namespace axle::runtime
