// What may be meant by a `param` whose tensor the file of weights does not have, or has with another type.
#pragma once

#include <optional>
#include <string>

#include "typecheck/infer/inference.h"

namespace axle {

// Of which `param`s one mistake is: the first of them reports it.
enum class Share : std::uint8_t { alone, first, later };

// Whether the file names all tensors that it lacks by one other scheme: `model/fc1.w`, or `weight` for `kernel`. If the
// param is the first of these, adds help, and a fix that names the tensors of all.
Share sharedScheme(Inference& in, const ast::Param& param, const std::string& tensor);
void suggestNames(Inference& in, const ast::Param& param, const std::string& tensor, Diagnostic& d);

// Adds a fix that names a tensor of the wanted type that no other `param` names. False where there is none.
bool suggestTensorOfType(Inference& in, const ast::Param& param, const std::string& wanted, Diagnostic& d);

// Whether the tensors of several `param`s are floats of one other type.
Share sharedElement(Inference& in, const ast::Param& param, const WeightType& found);
// Adds a fix that declares what the file has, and converts or transposes it where it is used.
void suggestType(Inference& in, const ast::Param& param, const WeightType& found, Diagnostic& d);

}  // namespace axle
