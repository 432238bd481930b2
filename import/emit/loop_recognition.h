// Recognizes loops over rows in `while` loops with a counter and arrays.
#pragma once

#include "import/emit/emit.h"
#include "import/emit/tree.h"

namespace axle::emit {

// Replaces a `while` that counts from 0 to the number of rows of a tensor and reads it row by row with a `loop` over
// the rows, or a `map`. Rows that it writes become the results. Requires flat statements (passes.h).
void recognizeLoops(Program& program, Checked& checked);

}  // namespace axle::emit
