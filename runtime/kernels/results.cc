#include "runtime/kernels/results.h"

namespace axle::runtime {

Results::Results(const Step& step) : chain_(step.chain), out_(step.out(0)) {
  for (int i = chain_.first; i < chain_.operands; ++i)
    operands_[static_cast<std::size_t>(i - chain_.first)] = operandOf(step.in(i));
}

StripOperand Results::operandAt(int index, std::int64_t row, std::int64_t column) const {
  const Operand& operand = operands_[static_cast<std::size_t>(index)];
  const std::int64_t offset = (operand.isEven ? row * operand.rowStep : offsetOf(operand, row)) + column * operand.step;
  return {operand.data + offset * operand.bytes, operand.step, operand.bytes};
}

bool Results::runEpilogue(const void* tile, std::int64_t row, std::int64_t column, std::int64_t count,
                          Fault& fault) const {
  StripOperand strip[BroadcastLoop::most];
  const int operands = chain_.operands - chain_.first;
  for (int i = 0; i < operands; ++i) strip[i] = operandAt(i, row, column);
  strip[operands] = {static_cast<const std::byte*>(tile), 1, chain_.baseBytes};
  std::byte* to = out_.as<std::byte>() + (row * outPitch_ + column) * outBytes_;
  return reportDivision(runStrip(chain_, strip - chain_.first, to, 1, count), fault);
}

Results::Operand Results::operandOf(const TensorView& view) const {
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

std::int64_t Results::offsetOf(const Operand& operand, std::int64_t row) const {
  std::int64_t offset = 0;
  for (int axis = out_.shape.rank() - 2; axis >= 0; row /= out_.shape[axis], --axis)
    offset += row % out_.shape[axis] * operand.strides[static_cast<std::size_t>(axis)];
  return offset;
}

}  // namespace axle::runtime
