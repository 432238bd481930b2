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
  {number, printed, inputs, outputs, integers(attributes::list, flags), bodies, flags, prepare},
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

}  // namespace axle::runtime
