// Sizes as lists of nodes, and the evaluator of such lists. Bundles store these lists; the runtime evaluates them.
#pragma once

#include <cstdint>
#include <span>

#include "dims/arithmetic.h"

namespace axle {

struct DimNode {
  DimOp op = DimOp::constant;
  std::int64_t value = 0;             // the constant, or the symbol's index
  std::uint32_t left = 0, right = 0;  // operands: indices smaller than the node's own
};

// Evaluates the nodes in one forward pass: operands have smaller indices than the node itself, symbols are in range.
void evaluateDims(std::span<const DimNode> dims, std::span<const DimValue> symbols, std::span<DimValue> values);

// The range of a dimension while some symbols are only known to lie between two numbers.
struct DimRange {
  DimValue low, high;  // both known, or neither
};
void evaluateRanges(std::span<const DimNode> dims, std::span<const DimRange> symbols, std::span<DimRange> ranges);

}  // namespace axle
