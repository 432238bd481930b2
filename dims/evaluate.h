// Sizes as lists of nodes, and the evaluator of such lists: bundles store them, the runtime binds with them.
#pragma once

#include <cstdint>
#include <span>

#include "dims/arithmetic.h"

namespace axle {

struct DimNode {
  DimOp op = DimOp::constant;
  std::int64_t value = 0;             // of a constant; the symbol's index
  std::uint32_t left = 0, right = 0;  // operands: smaller indices than the node's own
};

// One forward pass: operands have smaller indices than the node itself, symbols are in range.
void evaluateDims(std::span<const DimNode> dims, std::span<const DimValue> symbols, std::span<DimValue> values);

// What a dimension can be while some symbols are only known to lie between two numbers.
struct DimRange {
  DimValue low, high;  // both known, or both not
};
void evaluateRanges(std::span<const DimNode> dims, std::span<const DimRange> symbols, std::span<DimRange> ranges);

}  // namespace axle
