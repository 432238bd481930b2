// Infers `let`s and `param`s.
#pragma once

#include "typecheck/infer/inference.h"

namespace axle {

// Infers a `let` at the top level or in a block, and returns its index in TypedProgram::lets. Functions are
// generalised.
std::uint32_t inferBinding(Inference& in, std::uint32_t index);
// If calls are followed, arranges that a function defined in a block is inferred for each use of it, so its sizes are
// those of the use. Returns false for another `let`, or if calls are not followed.
bool followLocal(Inference& in, std::uint32_t index);
// Reports a name such as `nn.kernel` where `nn` is an imported module: it would hide a member of the module. Returns
// whether it did.
bool reportModuleMember(Inference& in, const std::string& name, Span span);
// Reports a fact of `where` that contradicts the sizes that the body requires.
void rejectRefutedFacts(Inference& in, const std::vector<DimFact>& stated);
// Infers a `param`; its type is that of its tensor in the weights file, if there is one.
void inferParam(Inference& in, const ast::Param& param);

}  // namespace axle
