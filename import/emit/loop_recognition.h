// Loops over time that a graph writes with a counter and arrays, as `loop`.
#pragma once

#include "import/emit/emit.h"
#include "import/emit/tree.h"

namespace axle::emit {

// A `while` that counts from 0 to the size of what it reads row by row becomes a `loop` over it: rows are what the cell
// takes, rows that it writes are its results. Statements are flat (passes.h).
void raiseLoops(Program& program, Checked& checked);

}  // namespace axle::emit
