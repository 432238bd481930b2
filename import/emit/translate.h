// Translates a typed program to statements: one for each binding, one node for each application.
#pragma once

#include <tl/expected.hpp>

#include "import/emit/emit.h"
#include "import/emit/tree.h"

namespace axle::emit {

// Adds functions that state types which inference would not find, where they are needed:
//   `scalar`  : a number where any shape would be possible
//   `as_f32`  : an element type that does not follow from the arguments
//   `to_f32`  : a cast
tl::expected<Program, Refusal> translate(Checked& checked, const Entry& entry, const Request& request);

}  // namespace axle::emit
