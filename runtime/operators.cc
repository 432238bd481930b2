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
#define OPERATOR(name, number, printed, prepare, inputs, outputs, list, bodies, flags, rules) \
  constexpr OpRow name{number, printed, inputs,  outputs, integers(attributes::list, flags),  \
                       bodies, flags,   prepare, nullptr};
#define POINTWISE(name, number, printed, row, inputs, flags, rules) \
  constexpr OpRow name{number, printed, inputs, 1, 0, 0, flags, preparePointwise, row};
#define REDUCTION(name, number, printed, prepare, row, rules) \
  constexpr OpRow name{number, printed, 2, 1, integers(attributes::Axis, plain), 0, plain, prepare, nullptr, row};
#define PRIMITIVE(name, number, printed, prepare, inputs, outputs, list) \
  constexpr OpRow name{number, printed, inputs, outputs, integers(attributes::list, plain), 0, plain, prepare, nullptr};
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
  if (const char* problem = step.row->prepare(step)) return problem;
  const bool isChain = step.node->op == op::chain || step.node->op == op::rows;  // these have bound it
  return step.node->epilogue.empty() || isChain ? nullptr : bindChain(step, ChainKind::base);
}

KernelTraits kernelTraits(std::uint32_t op) {
  struct Row {
    std::uint32_t op;
    KernelTraits traits;
  };
  constexpr std::uint32_t all = ~0u;
  // clang-format off
  static constexpr Row rows[] = {
      // operator      pitched: inputs, output  epilogue  alias
      {op::chain,      {all,            true,   true,     false}},
      {op::rows,       {all,            true,   true,     false}},
      {op::conv,       {0b01,           true,   true,     false}},
      {op::matmul,     {0b11,           true,   true,     false}},
      {op::convPanels,    {0b01,        true,   true,     false}},
      {op::convDepthwise, {0b01,        true,   true,     false}},
      {op::matmulPanels,  {0b01,        true,   true,     false}},
      {op::matmulVector,  {0b11,        true,   true,     false}},
      {op::maxPool,    {0b01,           true,   true,     false}},
      {op::avgPool,    {0b01,           true,   true,     false}},
      {op::transpose,  {all,            true,   false,    false}},
      {op::reverse,    {all,            true,   false,    false}},
      {op::broadcast,  {all,            true,   false,    false}},
      {op::pad,        {0b01,           true,   false,    false}},
      {op::reshape,    {0,              false,  false,    true}},
      {op::slice,      {all,            true,   false,    true}},
      {op::concat,     {all,            true,   false,    true}},
  };
  // clang-format on
  for (const Row& row : rows)
    if (row.op == op) return row.traits;
  const OpRow* row = operatorRow(op);
  if (row != nullptr && row->choose != nullptr) return {all, true, false, false};
  return {};
}

}  // namespace axle::runtime
