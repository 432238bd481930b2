// For each operator of the table, the function that checks a step and chooses its kernel.
#pragma once

#include "runtime/kernels/pointwise.h"
#include "runtime/program.h"

namespace axle::runtime {

using Prepare = const char*(Step&);

// pointwise.cc
Prepare preparePointwise;
#define POINTWISE(name, number, printed, row, ...) ChooseRow row;
#define PRIMITIVE(name, number, printed, prepare, ...) Prepare prepare;
#define OPERATOR(name, number, printed, prepare, ...) Prepare prepare;
#include "runtime/ops.def"

}  // namespace axle::runtime
