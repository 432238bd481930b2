// Suggests corrections of a `param` whose tensor is missing in the weights file or has another type.
#pragma once

#include <optional>
#include <string>

#include "typecheck/infer/inference.h"

namespace axle {

// Whether the file also lacks the tensor of an earlier `param` and names it by the same other scheme: `model/fc1.w`, or
// `weight` for `kernel`. The first of them reports all.
bool earlierHasScheme(Inference& in, const ast::Param& param, const std::string& tensor);
// If the file names tensors by another scheme, adds help, and a fix that renames the tensors of all `param`s.
void suggestNames(Inference& in, const ast::Param& param, const std::string& tensor, Diagnostic& d);

// Adds a fix that names a tensor of the wanted type that no other `param` names. False if there is none.
bool suggestTensorOfType(Inference& in, const ast::Param& param, const std::string& wanted, Diagnostic& d);

// Whether the tensor of an earlier `param` has the same other float type.
bool earlierHasElement(Inference& in, const ast::Param& param, const WeightType& found);
// Adds a fix that declares the type in the file, and converts or transposes the param where it is used.
void suggestType(Inference& in, const ast::Param& param, const WeightType& found, Diagnostic& d);

}  // namespace axle
