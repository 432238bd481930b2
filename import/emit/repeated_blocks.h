// Turns blocks that a graph repeats into functions.
#pragma once

#include "import/emit/tree.h"

namespace axle::emit {

// Replaces sequences of statements of `main` that occur several times, on different values, by calls of a function.
// Returns false if nothing repeats.
bool extractRepeats(Program& program);

}  // namespace axle::emit
