// What nobody would write: applications that change nothing, or that another one undoes. Statements are flat
// (passes.h); what is left behind are aliases and statements that nobody reads.
#pragma once

#include "import/emit/emit.h"
#include "import/emit/tree.h"

namespace axle::emit {

void simplify(Program& program, Checked& checked, const Request& request);
// Types stand as comments where they tell something: not behind a value of an operand's shape.
void dropPlainTypes(Program& program, Checked& checked);

}  // namespace axle::emit
