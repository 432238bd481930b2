// What makes statements readable, one pass after another.
#pragma once

#include "ir/import/emit/tree.h"

namespace axle::emit {

// `a = b` goes: what reads `a` reads `b`.
void dropAliases(Program& program);
// Statements whose names nobody reads go.
void dropUnread(Program& program);
// Each statement stands as late as it can: before the first that reads it.
void settle(Program& program);
// What is read once, in the same function, stands where it is read, as long as the expression stays short.
void nest(Program& program);

// What goes before blocks are looked for that repeat (repeats.h).
void tidy(Program& program);

}  // namespace axle::emit
