// Removes applications that change nothing or are undone by another one. Requires flat statements (passes.h).
#pragma once

#include "import/emit/emit.h"
#include "import/emit/tree.h"

namespace axle::emit {

void simplify(Program& program, Checked& checked, const Request& request);
// Drops the type comment of a value that has the shape of an operand.
void dropPlainTypes(Program& program, Checked& checked);

}  // namespace axle::emit
