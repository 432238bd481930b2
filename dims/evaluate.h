// The one evaluator of dimension expressions: the compiler folds with it, the runtime binds with it.
#pragma once

#include <cstdint>
#include <span>

namespace axle::runtime {

// Numbered as in `bundle.proto`.
enum class DimOp : std::uint8_t { constant, symbol, add, sub, mul, div, mod, max, min, ceildiv };
inline constexpr int dimOpCount = 10;
enum class Relation : std::uint8_t { eq, ne, lt, le, gt, ge };
inline constexpr int relationCount = 6;

struct DimNode {
  DimOp op = DimOp::constant;
  std::int64_t value = 0;  // of a constant; the symbol's index
  std::uint32_t left = 0, right = 0;
};

// unbound: a symbol has no value yet; undefined: a divisor was 0; overflow: the result does not fit 64 bits.
// An expression with such an operand is likewise; undefined wins over overflow, overflow over unbound.
enum class DimState : std::uint8_t { known, unbound, overflow, undefined };

struct DimValue {
  std::int64_t value = 0;
  DimState state = DimState::unbound;

  bool known() const { return state == DimState::known; }
};

// One arithmetic operator on known or unknown operands. Division and remainder floor, ceildiv rounds up.
DimValue applyDim(DimOp op, DimValue left, DimValue right);

// One forward pass: operands have smaller indices than the node itself, symbols are in range.
void evaluateDims(std::span<const DimNode> dims, std::span<const DimValue> symbols, std::span<DimValue> values);

// What a dimension can be while some symbols are only known to lie between two numbers.
struct DimRange {
  DimValue low, high;  // both known, or both not
};
void evaluateRanges(std::span<const DimNode> dims, std::span<const DimRange> symbols, std::span<DimRange> ranges);

// False where a side is not known.
bool relationHolds(Relation relation, DimValue left, DimValue right);

}  // namespace axle::runtime
