#include "dims/evaluate.h"

#include <algorithm>
#include <limits>

namespace axle::runtime {
namespace {

constexpr DimValue known(std::int64_t value) { return {value, DimState::known}; }
constexpr DimValue overflow{0, DimState::overflow};
constexpr DimValue undefined{0, DimState::undefined};

DimValue floorDiv(std::int64_t a, std::int64_t b) {
  if (b == 0) return undefined;
  if (a == std::numeric_limits<std::int64_t>::min() && b == -1) return overflow;
  return known(a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0));
}

DimValue ceilDiv(std::int64_t a, std::int64_t b) {
  if (b == 0) return undefined;
  if (a == std::numeric_limits<std::int64_t>::min() && b == -1) return overflow;
  return known(a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0));
}

DimValue floorMod(std::int64_t a, std::int64_t b) {
  if (b == 0) return undefined;
  if (b == -1) return known(0);
  const std::int64_t rest = a % b;
  return known(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}

}  // namespace

DimValue applyDim(DimOp op, DimValue left, DimValue right) {
  if (!left.known() || !right.known()) return {0, std::max(left.state, right.state)};
  const std::int64_t a = left.value, b = right.value;
  std::int64_t result = 0;
  switch (op) {
    case DimOp::add:
      return __builtin_add_overflow(a, b, &result) ? overflow : known(result);
    case DimOp::sub:
      return __builtin_sub_overflow(a, b, &result) ? overflow : known(result);
    case DimOp::mul:
      return __builtin_mul_overflow(a, b, &result) ? overflow : known(result);
    case DimOp::div:
      return floorDiv(a, b);
    case DimOp::mod:
      return floorMod(a, b);
    case DimOp::max:
      return known(std::max(a, b));
    case DimOp::min:
      return known(std::min(a, b));
    case DimOp::ceildiv:
      return ceilDiv(a, b);
    default:
      return undefined;
  }
}

void evaluateDims(std::span<const DimNode> dims, std::span<const DimValue> symbols, std::span<DimValue> values) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const DimNode& node = dims[i];
    if (node.op == DimOp::constant)
      values[i] = known(node.value);
    else if (node.op == DimOp::symbol)
      values[i] = symbols[static_cast<std::size_t>(node.value)];
    else
      values[i] = applyDim(node.op, values[node.left], values[node.right]);
  }
}

namespace {

// The least and the greatest of an operator's results at the corners of its operands' ranges.
DimRange corners(DimOp op, DimRange left, DimRange right) {
  DimRange range;
  bool first = true;
  for (const DimValue& a : {left.low, left.high})
    for (const DimValue& b : {right.low, right.high}) {
      const DimValue value = applyDim(op, a, b);
      if (!value.known()) return {value, value};
      if (first || value.value < range.low.value) range.low = value;
      if (first || value.value > range.high.value) range.high = value;
      first = false;
    }
  return range;
}

DimRange rangeOf(DimOp op, DimRange left, DimRange right) {
  const DimState state = std::max(left.low.state, right.low.state);
  if (state != DimState::known) return {{0, state}, {0, state}};
  const bool divides = op == DimOp::div || op == DimOp::mod || op == DimOp::ceildiv;
  if (!divides) return corners(op, left, right);
  // A divisor of 0 ends a run; others than these have no range.
  if (right.low.value == 0 && right.high.value > 0) right.low.value = 1;
  if (right.low.value <= 0) return {undefined, undefined};
  if (op != DimOp::mod) return corners(op, left, right);
  const std::int64_t most = right.high.value - 1;
  return {known(0), known(left.low.value >= 0 ? std::min(most, left.high.value) : most)};
}

}  // namespace

void evaluateRanges(std::span<const DimNode> dims, std::span<const DimRange> symbols, std::span<DimRange> ranges) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const DimNode& node = dims[i];
    if (node.op == DimOp::constant)
      ranges[i] = {known(node.value), known(node.value)};
    else if (node.op == DimOp::symbol)
      ranges[i] = symbols[static_cast<std::size_t>(node.value)];
    else
      ranges[i] = rangeOf(node.op, ranges[node.left], ranges[node.right]);
  }
}

bool relationHolds(Relation relation, DimValue left, DimValue right) {
  if (!left.known() || !right.known()) return false;
  switch (relation) {
    case Relation::eq:
      return left.value == right.value;
    case Relation::ne:
      return left.value != right.value;
    case Relation::lt:
      return left.value < right.value;
    case Relation::le:
      return left.value <= right.value;
    case Relation::gt:
      return left.value > right.value;
    case Relation::ge:
      return left.value >= right.value;
  }
  return false;
}

}  // namespace axle::runtime
