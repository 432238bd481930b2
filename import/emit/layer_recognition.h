// Recognizes functions of the standard library in a graph that has their definitions inlined.
#pragma once

#include "import/emit/emit.h"
#include "import/emit/tree.h"

namespace axle::emit {

// Replaces expressions that compute what a function of the library does, with the same operators and attributes, by
// calls of it. False where there are none. Statements are flat (passes.h).
bool recognizeLayers(Program& program, Checked& checked);

}  // namespace axle::emit
