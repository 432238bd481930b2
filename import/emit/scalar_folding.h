// Folds arithmetic on numbers, which graphs leave to the run. Statements are flat (passes.h).
#pragma once

#include "import/emit/emit.h"
#include "import/emit/tree.h"

namespace axle::emit {

// Replaces scalars computed from numbers, and elements of constant vectors, by numbers: literals where an operator
// takes these. False where nothing changes.
bool foldScalars(Program& program, Checked& checked, const Request& request);

}  // namespace axle::emit
