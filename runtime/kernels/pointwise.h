// Pointwise operators, a row of elements at a time. Chains of them and epilogues of other kernels are made of these.
#pragma once

#include <cstdint>

#include "io/elem.h"

namespace axle::runtime {

// `count` elements of up to three operands and of the result. Operands of binary operators advance by one element or
// stay; those of other operators always advance. The result may be in an operand's memory, at the same elements.
struct Row {
  const void* operands[3];
  bool moves[3];
  void* result;
  std::int64_t count;
};

// False where an integer is divided by zero.
using RowKernel = bool (*)(const Row&);

// The kernel for these element types, or what is wrong with them.
struct RowChoice {
  RowKernel kernel;
  const char* problem;
};
using ChooseRow = RowChoice(const Elem* operands, Elem result);

// pointwise_unary.cc
ChooseRow rowNeg, rowNot, rowExp, rowLog, rowSqrt, rowTanh, rowSigmoid, rowAbs, rowErf, rowRsqrt, rowFloor, rowCeil, rowRound, rowSign, rowRelu, rowSin, rowCos, rowAsin, rowAcos, rowAtan, rowTan, rowSinh, rowCosh, rowAsinh, rowAcosh, rowAtanh, rowLog1p, rowExpm1, rowLog2, rowExp2, rowCbrt, rowTrunc, rowBitNot;
// pointwise_binary.cc
ChooseRow rowAdd, rowSub, rowMul, rowDiv, rowMod, rowMaximum, rowMinimum, rowPow, rowLess, rowLessEqual, rowGreater, rowGreaterEqual, rowEqual, rowNotEqual, rowAnd, rowOr, rowAtan2, rowBitAnd, rowBitOr, rowBitXor, rowShiftLeft, rowShiftRight;
// cast.cc
ChooseRow rowCast, rowBitcast;
// select.cc
ChooseRow rowSelect;

}  // namespace axle::runtime
