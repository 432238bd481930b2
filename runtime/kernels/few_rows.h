// Prepares products of few rows (runtime/few_rows.h).
#pragma once

#include <span>

#include "runtime/program.h"

namespace axle::runtime {

// The factors of a step whose left one has rows that are evenly apart, in pieces of `depth` elements.
struct EvenFactors {
  std::int64_t pitch = 0, depth = 0;
  std::span<const std::int64_t> pieces;
  std::int64_t piecePitch = 0;  // `pieces` are in units of so many elements
};

// Gives the step another kernel, if one tile has all rows of its result and its whole epilogue is in registers.
void settleFewRows(Step& step, const EvenFactors& factors);

}  // namespace axle::runtime
