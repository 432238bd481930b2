// Typed program -> statements: one for each binding, one node for each application.
#pragma once

#include <tl/expected.hpp>

#include "import/emit/emit.h"
#include "import/emit/tree.h"

namespace axle::emit {

// Made where something asks for it: functions that say what inference would not find.
//   `scalar`  : a number where any shape could stand
//   `as_f32`  : an element type that comes from the use
//   `to_f32`  : a cast
tl::expected<Program, Refusal> translate(Checked& checked, const Entry& entry, const Request& request);

}  // namespace axle::emit
