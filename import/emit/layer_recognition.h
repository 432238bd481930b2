// Recognizes functions of the standard library in a graph that contains their definitions inlined.
#pragma once

#include "import/emit/emit.h"
#include "import/emit/tree.h"

namespace axle::emit {

// Replaces expressions with the same operators and attributes as a library function by calls of it. Returns false if
// there are none. Requires flat statements (passes.h).
bool recognizeLayers(Program& program, Checked& checked);

}  // namespace axle::emit
