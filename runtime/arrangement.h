// What stays the same from run to run of a step: how its results lie, and the operands of its pointwise operators
// beside them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/tensor.h"

namespace axle::runtime {

struct Step;

// How an operand lies to the result, in elements.
struct OperandLayout {
  std::int64_t step = 0, rowStep = 0;  // from column to column; from row to row if these are equally far apart
  std::array<std::int64_t, maxRank> strides{};
  std::uint8_t bytes = 0;  // of an element
  bool isOne = false;      // it has one element
  bool isEven = true;      // its rows are equally far apart
};

// The parts of an epilogue that kernels can apply to sums in registers (vector/product.h), in their order.
enum class EpiloguePart : std::uint8_t { scale, bias, residual, low, high, none };
inline constexpr std::size_t epilogueParts = 5;
// The operand of a part: an input's number, or one of these.
inline constexpr std::uint16_t noOperand = 0xffff, zeroOperand = 0xfffe;

struct Arrangement {
  std::vector<OperandLayout> operands;  // of the chain, from Chain::first on
  bool isFlat = false;                  // all elements of the result and of each operand are one row, or it has one
  bool isEmpty = false;                 // no output has elements
  bool isInRegisters = false;           // the whole epilogue has the form of vector/product.h,
  std::array<std::uint16_t, epilogueParts> parts{};  // with these operands
};

// Arranges a step that is prepared, when the pitches of its tensors are known. Allocates nothing when it is called
// again.
void arrangeStep(Step& step);

}  // namespace axle::runtime
