// What may be meant by a `param` whose tensor the file of weights does not have, or has with another type.
#pragma once

#include <optional>
#include <string>

#include "typecheck/infer/inference.h"

namespace axle {

// Whether the file lacks the tensor of an earlier `param` too and names it by the same other scheme: `model/fc1.w`, or
// `weight` for `kernel`. The first of them reports all.
bool earlierHasScheme(Inference& in, const ast::Param& param, const std::string& tensor);
// Where the file names tensors by another scheme, adds help, and a fix that names those of all `param`s.
void suggestNames(Inference& in, const ast::Param& param, const std::string& tensor, Diagnostic& d);

// Adds a fix that names a tensor of the wanted type that no other `param` names. False where there is none.
bool suggestTensorOfType(Inference& in, const ast::Param& param, const std::string& wanted, Diagnostic& d);

// Whether the tensor of an earlier `param` is of the same other float type.
bool earlierHasElement(Inference& in, const ast::Param& param, const WeightType& found);
// Adds a fix that declares what the file has, and converts or transposes it where it is used.
void suggestType(Inference& in, const ast::Param& param, const WeightType& found, Diagnostic& d);

}  // namespace axle
