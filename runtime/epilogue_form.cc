#include "runtime/epilogue_form.h"

#include <optional>

#include "runtime/program.h"

namespace axle::runtime {
namespace {

// The shape of an epilogue operator's operand in relation to the result: one element, one per column, or the whole
// shape.
enum class OperandKind : std::uint8_t { other, one, byColumn, whole };

OperandKind kindOf(const TensorView& operand, const TensorView& out) {
  if (operand.elem != Elem::f32) return OperandKind::other;
  if (operand.shape == out.shape) return OperandKind::whole;
  if (operand.shape.elements() == 1) return OperandKind::one;
  return operand.columns() == out.columns() && operand.shape.elements() == out.columns() ? OperandKind::byColumn
                                                                                         : OperandKind::other;
}

// The part of an epilogue that an operator with this kind of operand is, and its turn in the order of application.
struct PartRow {
  std::uint32_t op;
  OperandKind kind;
  EpiloguePart part;
  int turn;
};
constexpr PartRow partRows[] = {
    {op::mul, OperandKind::byColumn, EpiloguePart::scale, 0}, {op::add, OperandKind::byColumn, EpiloguePart::bias, 1},
    {op::add, OperandKind::whole, EpiloguePart::residual, 1}, {op::maximum, OperandKind::one, EpiloguePart::low, 2},
    {op::minimum, OperandKind::one, EpiloguePart::high, 3},
};
constexpr int turnOfRelu = 2;

const PartRow* partRowOf(std::uint32_t op, const TensorView& operand, const TensorView& out) {
  const OperandKind kind = kindOf(operand, out);
  const bool isColumn = kind == OperandKind::one && out.columns() == 1;  // also per column
  for (const PartRow& row : partRows)
    if (row.op == op && (row.kind == kind || (isColumn && row.kind == OperandKind::byColumn))) return &row;
  return nullptr;
}

}  // namespace

EpilogueForm epilogueFormOf(const Step& step) {
  const EpilogueForm other{.isWhole = false};
  EpilogueForm form;
  const auto operands = static_cast<std::uint32_t>(step.node->inputs.size());
  int turn = 0;
  for (std::size_t i = 0; i < step.node->epilogue.size(); ++i) {
    const manifest::Pointwise& link = step.node->epilogue[i];
    const std::uint32_t before = operands + static_cast<std::uint32_t>(i);  // the result of the operator before it
    if (static_cast<Elem>(link.elem) != Elem::f32) return other;
    if (link.op == op::relu && link.args.size() == 1 && link.args[0] == before && turn <= turnOfRelu && !form.isRelu &&
        !form.has(EpiloguePart::low)) {
      form.isRelu = true;
      turn = turnOfRelu;
      continue;
    }
    if (link.args.size() != 2 || (link.args[0] == before) == (link.args[1] == before)) return other;
    const std::uint32_t operand = link.args[0] == before ? link.args[1] : link.args[0];
    if (operand >= operands) return other;
    const PartRow* row = partRowOf(link.op, step.in(static_cast<int>(operand)), step.out(0));
    if (row == nullptr || row->turn < turn || form.has(row->part)) return other;
    if (row->part == EpiloguePart::low && form.isRelu) return other;
    form.inputs[static_cast<std::size_t>(row->part)] = static_cast<std::int16_t>(operand);
    turn = row->turn;
  }
  return form;
}

}  // namespace axle::runtime
