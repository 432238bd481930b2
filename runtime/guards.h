// Describes the guards of a program for reports.
#pragma once

#include <string>
#include <vector>

#include "runtime/manifest.h"
#include "runtime/session.h"

namespace axle::runtime {

// Stands for the text of a guard that is too long to print.
inline constexpr const char* unprintedGuard = "a guard of the model";

// Returns the guards with the texts of the debug section, or, without it, with texts made from their dimensions (`n >=
// 2`).
std::vector<GuardInfo> describeGuards(const manifest::Manifest& manifest);

}  // namespace axle::runtime
