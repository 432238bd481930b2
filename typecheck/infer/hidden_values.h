// Values that are hidden by sizes: in `fn (x : f32 [n, w]) { x * w }`, `w` is a size, also where a `param w` is meant.
#pragma once

#include <string>

#include "typecheck/infer/inference.h"

namespace axle {

// Remembers a name that is read as a size if a value outside of the function has that name.
void rememberHiddenValue(Inference& in, const std::string& name, Span use);

// Says of an error which of the names that it marks are sizes that hide values, with another name for the size as a fix
// to try.
void tellHiddenValues(const Inference& in, Diagnostic& d);

}  // namespace axle
