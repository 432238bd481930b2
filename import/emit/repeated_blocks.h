// Makes functions of blocks that a graph repeats.
#pragma once

#include "import/emit/tree.h"

namespace axle::emit {

// Replaces sequences of statements of `main` that occur several times, on different values, by calls of a function.
// False where nothing repeats.
bool extractRepeats(Program& program);

}  // namespace axle::emit
