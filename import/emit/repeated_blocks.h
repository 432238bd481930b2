// Blocks that a graph repeats, as functions.
#pragma once

#include "import/emit/tree.h"

namespace axle::emit {

// Statements that stand one behind the other in `main` and again further down, over other values, become a function
// that both places call; so do those of the functions that are made. False where nothing repeats.
bool shareRepeats(Program& program);

}  // namespace axle::emit
