// The operators of the IR.
#pragma once

#include <cstdint>

namespace axle::ir {

// Numbers below 256 are those of runtime/bundle.proto, which a test of the backend compares; the others exist only
// here.
// clang-format off
enum class Op : std::uint16_t {
  none = 0,
  neg = 1, logicalNot = 2, exp = 3, log = 4, sqrt = 5, tanh = 6, sigmoid = 7, abs = 8, erf = 9, rsqrt = 10, floor = 11, ceil = 12,
  round = 13, sign = 14, relu = 15, sin = 16, cos = 17, cast = 20,
  add = 30, sub = 31, mul = 32, div = 33, mod = 34, maximum = 35, minimum = 36, pow = 37,
  less = 40, lessEqual = 41, greater = 42, greaterEqual = 43, equal = 44, notEqual = 45, logicalAnd = 46, logicalOr = 47,
  select = 50,
  matmul = 60, conv = 61, convNchw = 63, maxPool = 64, avgPool = 65,
  transpose = 70, reshape = 71, concat = 72, slice = 73, reverse = 74, pad = 75, upsample = 76, gather = 77, broadcast = 78,
  dims = 79, copy = 80, nonzero = 81,
  reduceSum = 90, reduceProd = 91, reduceMax = 92, reduceMin = 93,
  resize = 110, frame = 111, overlapAdd = 112, fourier = 113,
  reduce = 100, map = 101, loop = 102, whileLoop = 103, branch = 104,
  asin = 120, acos = 121, atan = 122, tan = 123, sinh = 124, cosh = 125, asinh = 126, acosh = 127, atanh = 128, log1p = 129, expm1 = 130,
  log2 = 131, exp2 = 132, cbrt = 133, trunc = 134, bitNot = 135, bitcast = 136,
  atan2 = 140, bitAnd = 141, bitOr = 142, bitXor = 143, shiftLeft = 144, shiftRight = 145,
  cumSum = 150, cumProd = 151, cumMax = 152, cumMin = 153, argsort = 154, argMax = 155, argMin = 156, searchSorted = 157,
  topPlaces = 158,
  gatherElements = 160, gatherNd = 161, scatterElements = 162, scatterNd = 163, iota = 170, randomBits = 171,
  segment = 190, size = 191, guard = 192, require = 193,
  input = 256,     // a source: an input of its graph
  constant = 257,  // a source: a constant of the model
};
// clang-format on

}  // namespace axle::ir
