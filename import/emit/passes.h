// What makes statements readable, one pass after another.
#pragma once

#include "import/emit/tree.h"

namespace axle::emit {

// `a = b` goes: what reads `a` reads `b`.
void dropAliases(Program& program);
// Statements whose names nobody reads go.
void dropUnread(Program& program);
// Each statement stands as late as it can: before the first that reads it.
void settle(Program& program);
// `a, b = s` goes where `s` is bound and nothing else reads it: `s` becomes (a, b) there. The last of all passes.
void foldPatterns(Program& program);
// `a, b = s` goes where its names are read as (a, b) only: that is `s`.
void keepTuples(Program& program);
// Weights in the order in which they are read.
void orderWeights(Program& program);
// What is read once, in the same function, stands where it is read, as long as the expression stays short.
void nest(Program& program);

// What a block computes twice it computes once. Statements are flat.
void shareEqual(Program& program);

// Every application has a statement of its own, but those on one side of an `if`.
void flatten(Program& program);

// What goes before blocks are looked for that repeat (repeats.h).
void tidy(Program& program);

}  // namespace axle::emit
