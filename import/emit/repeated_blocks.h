// Turns blocks that a graph repeats into functions.
#pragma once

#include "import/emit/tree.h"
#include "typecheck/types/operator_signatures.h"

namespace axle::emit {

// Replaces sequences of statements of `main` that occur several times, on different values, by calls of a function.
// Strides and dilations in which they differ become its static parameters. Returns false if nothing repeats.
bool extractRepeats(Program& program, OperatorTable& operators);

}  // namespace axle::emit
