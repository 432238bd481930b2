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
// Removes `a, b = s` if nothing else reads `s`: the pattern that binds `s` becomes `(a, b)`. Must follow all
// other passes that rewrite statements.
void nestPatterns(Program& program);
// Removes `a, b = s` if the names are only read as `(a, b)`, which becomes `s`.
void collapseTuples(Program& program);
// Sorts weights by their first use.
void orderWeights(Program& program);
// Replaces a name that is read once, in the same function, by its expression, as long as the result is short.
void nestSingleUses(Program& program);

// Computes equal expressions of a block only once. Requires flat statements.
void shareEqualExpressions(Program& program);

// Gives every application its own statement, except within the branches of an `if`.
void flatten(Program& program);

// Removes aliases and unread statements, and orders the others by use.
void tidy(Program& program);

}  // namespace axle::emit
