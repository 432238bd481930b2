// Finds broadcasts of the same operands: their results are equal.
#pragma once

#include "typecheck/checked.h"

namespace axle {

// Unifies the results of pending broadcasts that have the same set of operands, since `#` is idempotent; the result of
// a set of one is that operand. True if anything was unified.
bool mergeEqualBroadcasts(Checked& checked);

}  // namespace axle
