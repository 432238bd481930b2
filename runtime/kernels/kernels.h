// Declares, for each operator of the table, the function that checks a step and chooses its kernel.
#pragma once

#include "runtime/kernels/pointwise.h"
#include "runtime/program.h"

namespace axle::runtime {

using Prepare = const char*(Step&);  // cold: runs when sizes are bound, so it is compiled for size

// pointwise.cc
[[gnu::cold]] Prepare preparePointwise;
#define POINTWISE(name, number, printed, row, ...) ChooseRow row;
#define REDUCTION(name, number, printed, prepare, row, ...) \
  [[gnu::cold]] Prepare prepare;                            \
  ChooseRow row;
#define PRIMITIVE(name, number, printed, prepare, ...) [[gnu::cold]] Prepare prepare;
#define OPERATOR(name, number, printed, prepare, ...) [[gnu::cold]] Prepare prepare;
#include "runtime/ops.def"

// The same functions with kernels for f32 alone.
namespace f32 {
#define F32(name, prepare) [[gnu::cold]] Prepare prepare;
#define F32_POINTWISE(name, row) ChooseRow row;
#define F32_REDUCTION(name, prepare, row) \
  [[gnu::cold]] Prepare prepare;          \
  ChooseRow row;
#include "runtime/f32_kernels.def"
}  // namespace f32

}  // namespace axle::runtime
