// For each operator of the table, the function that checks a step and chooses its kernel.
#pragma once

#include "runtime/program.h"

namespace axle::runtime {

using Prepare = const char*(Step&);

#define OPERATOR(name, number, printed, prepare, ...) Prepare prepare;
#include "runtime/ops.def"

}  // namespace axle::runtime
