// Calls of the standard library's functions where a graph has their definitions written out.
#pragma once

#include "import/emit/emit.h"
#include "import/emit/tree.h"

namespace axle::emit {

// What a function of the library computes, with the same operators and attributes, becomes a call of it. False where
// there is none. Statements are flat (passes.h).
bool nameLayers(Program& program, Checked& checked);

}  // namespace axle::emit
