// Infers `let`s and `param`s.
#pragma once

#include "typecheck/infer/inference.h"

namespace axle {

// A `let`, at the top level or in a block: its index in TypedProgram::lets. Functions are generalised.
std::uint32_t inferBinding(Inference& in, std::uint32_t index);
// Where calls are followed, a function that a block defines is inferred for each use of it: its sizes are those of the
// use then. False for another `let`, or where calls are not followed.
bool followLocal(Inference& in, std::uint32_t index);
// Reports a name such as `nn.kernel` where `nn` is an imported module: it would hide a member of the module. Returns whether
// it did.
bool reportModuleMember(Inference& in, const std::string& name, Span span);
// A parameter of the module; its type is that of its tensor in the weights file, where there is one.
void inferParam(Inference& in, const ast::Param& param);

}  // namespace axle
