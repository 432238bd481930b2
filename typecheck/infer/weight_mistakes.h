// Suggests corrections of a `param` whose tensor is missing in the weights file or has another type.
#pragma once

#include <optional>
#include <string>

#include "typecheck/infer/inference.h"

namespace axle {

// Whether the error of an earlier `param` tells that the file lacks the tensor of this one, too: it names both by the
// same other scheme, as `model/fc1.w`, or `weight` for `kernel`, or has no tensor of the program at all.
bool isToldBefore(Inference& in, const ast::Param& param);
// Notes which other `param`s are told with this one. If the file names their tensors by another scheme, adds help, and
// a fix that renames all of them.
void suggestNames(Inference& in, const ast::Param& param, Diagnostic& d);

// Adds a fix that names a tensor of the wanted type that no other `param` names. False if there is none.
bool suggestTensorOfType(Inference& in, const ast::Param& param, const std::string& wanted, Diagnostic& d);

// Whether the tensor of an earlier `param` has the same other float type.
bool earlierHasElement(Inference& in, const ast::Param& param, const WeightType& found);
// Adds a fix that declares the type in the file, and converts or transposes the param where it is used.
void suggestType(Inference& in, const ast::Param& param, const WeightType& found, Diagnostic& d);

}  // namespace axle
