#include <array>

#include "runtime/kernels/kernels.h"
#include "runtime/program.h"

namespace axle::runtime {
namespace {

using namespace ops;

constexpr int integers(IntegerList list, Flags flags) {
  return list.perAxis != 0 || (flags & takesGuards) != 0 ? any : list.fixed;
}

using RowsByNumber = std::array<const OpRow*, ops::numbers>;

RowsByNumber rowsByNumber() {
  RowsByNumber rows{};
  for (const OpRow* const* row = linkedOperators; *row != nullptr; ++row) rows[(*row)->op] = *row;
  return rows;
}

constexpr OpRow withKernels(OpRow row, const char* (*prepare)(Step&), ChooseRow* choose,
                            ChooseRow* reduceRow = nullptr) {
  row.prepare = prepare;
  row.choose = choose;
  row.reduceRow = reduceRow;
  return row;
}

}  // namespace

namespace rows {
#define OPERATOR(name, number, printed, prepare, inputs, outputs, list, bodies, flags, kernel, rules) \
  constexpr OpRow name{number, printed, inputs, outputs, integers(attributes::list, flags),           \
                       bodies, flags,   kernel, prepare, nullptr};
#define POINTWISE(name, number, printed, row, inputs, flags, rules) \
  constexpr OpRow name{number, printed, inputs, 1, 0, 0, flags, pitched, preparePointwise, row};
#define REDUCTION(name, number, printed, prepare, row, rules)                                              \
  constexpr OpRow name{                                                                                    \
      number,  printed, 2,  1, integers(attributes::Axis, plain), 0, plain, writesPitched | ops::epilogue, \
      prepare, nullptr, row};
#define PRIMITIVE(name, number, printed, prepare, inputs, outputs, list, kernel)            \
  constexpr OpRow name{number, printed, inputs, outputs, integers(attributes::list, plain), \
                       0,      plain,   kernel, prepare, nullptr};
#include "runtime/ops.def"

namespace f32 {
#define F32(name, prepare) constexpr OpRow name = withKernels(rows::name, runtime::f32::prepare, nullptr);
#define F32_POINTWISE(name, row) constexpr OpRow name = withKernels(rows::name, preparePointwise, runtime::f32::row);
#define F32_REDUCTION(name, prepare, row) \
  constexpr OpRow name = withKernels(rows::name, runtime::f32::prepare, nullptr, runtime::f32::row);
#include "runtime/f32_kernels.def"
}  // namespace f32
}  // namespace rows

const OpRow* operatorRow(std::uint32_t op) {
  static const RowsByNumber rows = rowsByNumber();
  return op < ops::numbers ? rows[op] : nullptr;
}

bool isOperator(std::uint32_t number) {
  switch (number) {
#define OPERATOR(name, number, ...) case number:
#define PRIMITIVE(name, number, ...) case number:
#include "runtime/ops.def"
    return true;
    default:
      return false;
  }
}

const char* prepareStep(Step& step) {
  step.parts = 1;
  step.dividedWork = 0;
  step.epilogueForm = {};
  step.byRows = {};
  step.settle = nullptr;
  step.inStrips = {};
  if (const char* problem = step.row->prepare(step)) return problem;
  const bool isChain = step.node->op == op::chain || step.node->op == op::rows;  // prepare has bound it
  if (step.node->epilogue.empty() || isChain) return nullptr;
  if (const char* problem = bindChain(step, ChainKind::base)) return problem;
  step.epilogueForm = epilogueFormOf(step);
  return nullptr;
}

void settleStep(Step& step) {
  settleChain(step);
  // A step with bodies always runs: a body may fail or loop forever although its results are empty.
  step.isEmpty = step.bodies.empty() && !step.findsAny() && !step.row->has(ops::checksInputs);
  for (int i = 0; step.isEmpty && i < step.outputCount(); ++i) step.isEmpty = step.out(i).shape.elements() == 0;
  if (step.settle != nullptr) step.settle(step);
}

KernelTraits kernelTraits(std::uint32_t op) {
  const OpRow* row = operatorRow(op);
  return row != nullptr ? row->traits : dense;
}

}  // namespace axle::runtime
