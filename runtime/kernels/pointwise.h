// Pointwise operators, a row of elements at a time. Chains of them and epilogues of other kernels are made of these.
#pragma once

#include <cstdint>

#include "io/elem.h"

namespace axle::runtime {

// `count` elements of up to three operands and of the result. Operands advance by one element or stay: those of
// operators with two operands, and of others where `RowChoice` says so. The result may be in an operand's memory, at
// the same elements.
struct Row {
  const void* operands[3];
  bool moves[3];
  void* result;
  std::int64_t count;
  // For kernels that take several rows: the elements from a row of an operand, and of the result, to the next.
  std::int64_t rows = 1, pitches[3] = {}, resultPitch = 0;
};

// False where an integer is divided by zero.
using RowKernel = bool (*)(const Row&);

// The kernel for these element types, or what is wrong with them.
struct RowChoice {
  RowKernel kernel;
  const char* problem;
  bool takesRows = false;
  RowKernel gate = nullptr;  // of sigmoid: tanh(a) * sigmoid(b) in one
  bool mayStay = false;      // its operands may stay; those of binary operators always may
};
using ChooseRow = RowChoice(const Elem* operands, Elem result);

}  // namespace axle::runtime
