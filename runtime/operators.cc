#include <array>
#include <iterator>

#include "runtime/kernels/kernels.h"
#include "runtime/program.h"

namespace axle::runtime {
namespace {

using namespace ops;

constexpr int integers(IntegerList list, Flags flags) {
  return list.perAxis != 0 || (flags & takesGuards) != 0 ? any : list.fixed;
}

constexpr OpRow operators[] = {
#define OPERATOR(name, number, printed, prepare, inputs, outputs, list, bodies, flags, rules) \
  {number, printed, inputs, outputs, integers(attributes::list, flags), bodies, flags, prepare, nullptr},
#define POINTWISE(name, number, printed, row, inputs, flags, rules) \
  {number, printed, inputs, 1, 0, 0, flags, preparePointwise, row},
#define PRIMITIVE(name, number, printed, prepare, inputs, outputs) \
  {number, printed, inputs, outputs, 0, 0, plain, prepare, nullptr},
#include "runtime/ops.def"
};

constexpr std::uint8_t none = 0xff;
static_assert(std::size(operators) < none);

constexpr std::array<std::uint8_t, numbers> rowsByNumber() {
  std::array<std::uint8_t, numbers> rows{};
  rows.fill(none);
  for (std::size_t i = 0; i < std::size(operators); ++i) rows[operators[i].op] = static_cast<std::uint8_t>(i);
  return rows;
}
constexpr std::array<std::uint8_t, numbers> byNumber = rowsByNumber();

}  // namespace

std::span<const OpRow> operatorTable() { return operators; }

const OpRow* operatorRow(std::uint32_t op) {
  return op < numbers && byNumber[op] != none ? &operators[byNumber[op]] : nullptr;
}

const char* prepareStep(Step& step) {
  if (const char* problem = step.row->prepare(step)) return problem;
  return step.node->epilogue.empty() || step.node->op == op::chain ? nullptr : bindChain(step, true);
}

KernelTraits kernelTraits(std::uint32_t op) {
  struct Row {
    std::uint32_t op;
    KernelTraits traits;
  };
  constexpr std::uint32_t all = ~0u;
  static constexpr Row rows[] = {
      // operator                      pitched: inputs, output  epilogue  alias
      {op::chain, {all, true, true, false}},    {op::conv, {0b01, true, true, false}},
      {op::matmul, {0b11, true, true, false}},  {op::maxPool, {0b01, true, true, false}},
      {op::avgPool, {0b01, true, true, false}}, {op::transpose, {all, true, false, false}},
      {op::reverse, {all, true, false, false}}, {op::broadcast, {all, true, false, false}},
      {op::pad, {0b01, true, false, false}},    {op::reshape, {0, false, false, true}},
      {op::slice, {all, true, false, true}},    {op::concat, {all, true, false, true}},
  };
  for (const Row& row : rows)
    if (row.op == op) return row.traits;
  const OpRow* row = operatorRow(op);
  if (row != nullptr && row->choose != nullptr) return {all, true, false, false};
  return {};
}

}  // namespace axle::runtime
