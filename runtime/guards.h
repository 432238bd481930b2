// The guards of a program as reports show them.
#pragma once

#include <string>
#include <vector>

#include "runtime/manifest.h"
#include "runtime/session.h"

namespace axle::runtime {

// The text of a guard that is too long to print.
inline constexpr const char* unprintedGuard = "a guard of the model";

// With the texts of the debug section; without it, with a text made from the guard's dimensions (`n >= 2`).
std::vector<GuardInfo> describeGuards(const manifest::Manifest& manifest);

}  // namespace axle::runtime
