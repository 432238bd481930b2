// Folds arithmetic on numbers, which graphs leave to the run. Requires flat statements (passes.h).
#pragma once

#include "import/emit/emit.h"
#include "import/emit/tree.h"

namespace axle::emit {

// Replaces scalars computed from numbers, and elements of constant vectors, by numbers, written as literals where an
// operator accepts these. Returns false if nothing changes.
bool foldScalars(Program& program, Checked& checked, const Request& request);

}  // namespace axle::emit
