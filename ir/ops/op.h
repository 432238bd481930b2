// The operators of the IR.
#pragma once

#include <cstdint>

namespace axle::ir {

// Numbers below 256 are those of runtime/bundle.proto (a test of the backend compares); the others exist in the IR
// alone.
// clang-format off
enum class Op : std::uint16_t {
  none = 0,
  neg = 1, logicalNot = 2, exp = 3, log = 4, sqrt = 5, tanh = 6, sigmoid = 7, abs = 8, erf = 9, rsqrt = 10, floor = 11, ceil = 12,
  round = 13, sign = 14, relu = 15, sin = 16, cos = 17, cast = 20,
  add = 30, sub = 31, mul = 32, div = 33, mod = 34, maximum = 35, minimum = 36, pow = 37,
  less = 40, lessEqual = 41, greater = 42, greaterEqual = 43, equal = 44, notEqual = 45, logicalAnd = 46, logicalOr = 47,
  select = 50,
  matmul = 60, conv2d = 61, depthwiseConv2d = 62, convNchw = 63, maxPool = 64, avgPool = 65,
  transpose = 70, reshape = 71, concat = 72, slice = 73, reverse = 74, pad = 75, upsample = 76, gather = 77, broadcast = 78,
  dims = 79, copy = 80, nonzero = 81,
  reduceSum = 90, reduceProd = 91, reduceMax = 92, reduceMin = 93,
  reduce = 100, map = 101, loop = 102, whileLoop = 103, branch = 104,
  input = 256,     // a source: an input of its graph
  constant = 257,  // a source: a constant of the model
};
// clang-format on

}  // namespace axle::ir
