// Arithmetic over numbers that graphs leave to the run, done. Statements are flat (passes.h).
#pragma once

#include "import/emit/emit.h"
#include "import/emit/tree.h"

namespace axle::emit {

// Scalars of numbers alone become numbers, which stand bare where an operator takes them so; elements of constants too.
bool foldNumbers(Program& program, Checked& checked, const Request& request);

}  // namespace axle::emit
