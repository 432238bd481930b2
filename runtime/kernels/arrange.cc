#include "runtime/arrangement.h"
#include "runtime/kernels/strided.h"
#include "runtime/program.h"

namespace axle::runtime {
namespace {

OperandLayout layoutOf(const TensorView& view, const TensorView& out) {
  const Shape& shape = out.shape;
  OperandLayout layout;
  layout.bytes = static_cast<std::uint8_t>(info(view.elem).bytes);
  layout.isOne = view.shape.elements() == 1;
  if (shape.rank() == 0) return layout;
  layout.strides = broadcastStrides(view, shape);
  layout.step = layout.strides[static_cast<std::size_t>(shape.rank() - 1)];
  std::int64_t whole = 0;  // what the axis before must advance by, if there is one
  bool isInner = true;
  for (int axis = shape.rank() - 2; axis >= 0; --axis) {
    const std::int64_t stride = layout.strides[static_cast<std::size_t>(axis)];
    if (shape[axis] == 1) continue;
    if (isInner)
      layout.rowStep = stride;
    else if (stride != whole)
      layout.isEven = false;
    whole = stride * shape[axis];
    isInner = false;
  }
  return layout;
}

// How the operand of an operator in an epilogue lies to the result.
enum class OperandKind : std::uint8_t { other, one, byColumn, whole };

OperandKind kindOf(const TensorView& operand, const TensorView& out) {
  if (operand.elem != Elem::f32) return OperandKind::other;
  if (operand.shape == out.shape) return OperandKind::whole;
  if (operand.shape.elements() == 1) return OperandKind::one;
  return operand.columns() == out.columns() && operand.shape.elements() == out.columns() ? OperandKind::byColumn
                                                                                         : OperandKind::other;
}

// The part that an operator with this operand is, or none.
EpiloguePart partOf(std::uint32_t op, OperandKind kind) {
  struct Row {
    std::uint32_t op;
    OperandKind kind;
    EpiloguePart part;
  };
  static constexpr Row rows[] = {
      {op::mul, OperandKind::byColumn, EpiloguePart::scale}, {op::add, OperandKind::byColumn, EpiloguePart::bias},
      {op::add, OperandKind::whole, EpiloguePart::residual}, {op::maximum, OperandKind::one, EpiloguePart::low},
      {op::minimum, OperandKind::one, EpiloguePart::high},
  };
  for (const Row& row : rows)
    if (row.op == op && row.kind == kind) return row.part;
  return EpiloguePart::none;
}

// Whether the operators of the step's epilogue are parts, one after another, each on the result of the one before it.
bool findParts(const Step& step, std::array<std::uint16_t, epilogueParts>& parts) {
  parts.fill(noOperand);
  const auto& links = step.node->epilogue;
  const auto operands = static_cast<std::uint32_t>(step.node->inputs.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const manifest::Pointwise& link = links[i];
    const std::uint32_t before = operands + static_cast<std::uint32_t>(i);  // the result of the operator before it
    if (static_cast<Elem>(link.elem) != Elem::f32) return false;
    EpiloguePart part = EpiloguePart::none;
    std::uint32_t operand = zeroOperand;
    if (link.op == op::relu && link.args.size() == 1 && link.args[0] == before) {
      part = EpiloguePart::low;
    } else if (link.args.size() == 2 && (link.args[0] == before) != (link.args[1] == before)) {
      operand = link.args[0] == before ? link.args[1] : link.args[0];
      if (operand >= operands) return false;
      part = partOf(link.op, kindOf(step.in(static_cast<int>(operand)), step.out(0)));
    }
    const auto number = static_cast<std::size_t>(part);
    if (part == EpiloguePart::none || number < next) return false;
    parts[number] = static_cast<std::uint16_t>(operand);
    next = number + 1;
  }
  return true;
}

}  // namespace

void arrangeStep(Step& step) {
  Arrangement& arranged = step.arranged;
  const Chain& chain = step.chain;
  arranged.isEmpty = true;
  for (int i = 0; i < step.outputCount(); ++i) arranged.isEmpty = arranged.isEmpty && step.out(i).shape.elements() == 0;
  arranged.isInRegisters = step.outputCount() > 0 && findParts(step, arranged.parts);
  if (chain.links.empty()) return;
  const TensorView& out = step.out(0);
  arranged.isFlat = out.contiguous();
  arranged.operands.resize(static_cast<std::size_t>(chain.operands - chain.first));
  for (int i = chain.first; i < chain.operands; ++i) {
    const TensorView& view = step.in(i);
    OperandLayout& layout = arranged.operands[static_cast<std::size_t>(i - chain.first)];
    layout = layoutOf(view, out);
    arranged.isFlat = arranged.isFlat && (layout.isOne || (view.contiguous() && view.shape == out.shape));
  }
}

}  // namespace axle::runtime
