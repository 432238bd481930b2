// The operators of the IR.
#pragma once

#include <cstdint>

namespace axle::ir {

// Numbers below 256 are those of `runtime/ops.def`; the others exist only here.
enum class Op : std::uint16_t {
  none = 0,
#define OPERATOR(name, number, ...) name = (number),
#include "runtime/ops.def"
  input = 256,     // a source: an input of its graph
  constant = 257,  // a source: a constant of the model
};

}  // namespace axle::ir
