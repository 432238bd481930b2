// Passes that make statements readable.
#pragma once

#include "import/emit/tree.h"

namespace axle::emit {

// Removes `a = b`; readers of `a` read `b`.
void dropAliases(Program& program);
// Removes statements whose names are not read.
void dropUnread(Program& program);
// Moves each statement down to the first that reads it.
void orderByUse(Program& program);
// Removes `a, b = s` where nothing else reads `s`: the pattern that binds `s` becomes `(a, b)`. The last of all passes.
void nestPatterns(Program& program);
// Removes `a, b = s` where the names are only read as `(a, b)`, which becomes `s`.
void collapseTuples(Program& program);
// Sorts weights by their first use.
void orderWeights(Program& program);
// Replaces a name that is read once, in the same function, by its expression, while the result stays short.
void nestSingleUses(Program& program);

// Computes equal expressions of a block once. Statements are flat.
void shareEqualExpressions(Program& program);

// Gives every application a statement of its own, except within the sides of an `if`.
void flatten(Program& program);

// Removes aliases and unread statements, and orders the others by use.
void tidy(Program& program);

}  // namespace axle::emit
