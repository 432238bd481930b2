// Infers `let`s and `param`s.
#pragma once

#include "typecheck/infer/inference.h"

namespace axle {

// A `let`, at the top level or in a block: its index in TypedProgram::lets. Functions are generalised.
std::uint32_t inferBinding(Inference& in, std::uint32_t index);
// A parameter of the module; its type is that of its tensor in the weights file, where there is one.
void inferParam(Inference& in, const ast::Param& param);

}  // namespace axle
