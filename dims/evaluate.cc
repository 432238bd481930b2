#include "dims/evaluate.h"

#include <algorithm>

namespace axle {
namespace {

constexpr DimValue known(std::int64_t value) { return {value, DimState::known}; }

// Returns the least and the greatest result of an operator at the corners of its operands' ranges.
DimRange rangeOfCorners(DimOp op, DimRange left, DimRange right) {
  DimRange range;
  bool first = true;
  for (const DimValue& a : {left.low, left.high})
    for (const DimValue& b : {right.low, right.high}) {
      const DimValue value = apply(op, a, b);
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
  if (!divides(op)) return rangeOfCorners(op, left, right);
  // A run with a divisor of 0 fails, so 0 is excluded; a range with other divisors below 1 gives no range.
  if (right.low.value == 0 && right.high.value > 0) right.low.value = 1;
  if (right.low.value <= 0) return {{0, DimState::undefined}, {0, DimState::undefined}};
  if (op != DimOp::mod) return rangeOfCorners(op, left, right);
  const std::int64_t most = right.high.value - 1;
  return {known(0), known(left.low.value >= 0 ? std::min(most, left.high.value) : most)};
}

}  // namespace

void evaluateDims(std::span<const DimNode> dims, std::span<const DimValue> symbols, std::span<DimValue> values) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const DimNode& node = dims[i];
    if (node.op == DimOp::constant)
      values[i] = known(node.value);
    else if (node.op == DimOp::symbol)
      values[i] = symbols[static_cast<std::size_t>(node.value)];
    else
      values[i] = apply(node.op, values[node.left], values[node.right]);
  }
}

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

}  // namespace axle
