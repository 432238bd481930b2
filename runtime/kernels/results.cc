#include "runtime/kernels/results.h"

namespace axle::runtime {

StripOperand Results::operandAt(int index, std::int64_t row, std::int64_t column) const {
  const OperandLayout& layout = step_.chain.layouts[static_cast<std::size_t>(index)];
  const std::int64_t offset = (layout.isEven ? row * layout.rowStep : offsetOf(layout, row)) + column * layout.step;
  return {step_.in(step_.chain.first + index).as<std::byte>() + offset * layout.bytes, layout.step, layout.bytes};
}

bool Results::runEpilogue(const void* tile, std::int64_t row, std::int64_t column, std::int64_t count,
                          Fault& fault) const {
  StripOperand strip[BroadcastLoop::most];
  const Chain& chain = step_.chain;
  const int operands = chain.operands - chain.first;
  for (int i = 0; i < operands; ++i) strip[i] = operandAt(i, row, column);
  strip[operands] = {static_cast<const std::byte*>(tile), 1, chain.baseBytes};
  std::byte* to = data_ + ((row - firstRow_) * outPitch_ + column) * outBytes_;
  return reportDivision(runStrip(chain, strip - chain.first, to, 1, count), fault);
}

std::int64_t Results::offsetOf(const OperandLayout& layout, std::int64_t row) const {
  std::int64_t offset = 0;
  for (int axis = out_.shape.rank() - 2; axis >= 0; row /= out_.shape[axis], --axis)
    offset += row % out_.shape[axis] * layout.strides[static_cast<std::size_t>(axis)];
  return offset;
}

}  // namespace axle::runtime
