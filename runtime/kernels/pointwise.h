// Pointwise operators on a row of elements. Chains and the epilogues of other kernels consist of these.
#pragma once

#include <cstdint>

#include "io/elem.h"

namespace axle::runtime {

// `count` elements of up to three operands and of the result. An operand advances by one element or stays; it may stay
// for operators with two operands, and for others where `RowChoice` says so. The result may share an operand's memory,
// element for element.
struct Row {
  const void* operands[3];
  bool moves[3];
  void* result;
  std::int64_t count;
  // For kernels that take several rows: the elements from one row to the next, of each operand and of the result.
  std::int64_t rows = 1, pitches[3] = {}, resultPitch = 0;
};

// Returns false if it divides an integer by zero.
using RowKernel = bool (*)(const Row&);

struct HalfRows;
struct HalfResults;

// How rows of f16 and bf16 pass through a kernel of f32.
struct Conversions {
  bool (*run)(const Conversions&, RowKernel, const Row&) = nullptr;  // null: the kernel takes the rows as they are
  void (*widen)(const HalfRows&) = nullptr;                          // null: operands are as the kernel takes them
  void (*store)(const HalfResults&) = nullptr;                       // null: so is the result
  std::uint8_t arity = 0, operandBytes = 0, resultBytes = 0;         // bytes per element
};

// The kernel for these element types, or what is wrong with them.
struct RowChoice {
  RowKernel kernel;
  const char* problem;
  bool takesRows = false;
  RowKernel gate = nullptr;  // for sigmoid: computes tanh(a) * sigmoid(b)
  bool mayStay = false;      // operands may stay; always true of binary operators
  Conversions conversions = {};
};
using ChooseRow = RowChoice(const Elem* operands, Elem result);

}  // namespace axle::runtime
