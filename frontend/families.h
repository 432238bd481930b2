// stdlib/core.ax as the user reads it: its text, and its headings `// ---- NAME ----`, the families of the operators;
// what modules say of themselves.
#pragma once

#include <string>
#include <string_view>

#include "frontend/modules.h"

namespace axle {

std::string_view coreText();

// The `//` comment at the top of a module, without the slashes; empty where none is.
std::string headComment(std::string_view text);

// Empty for one before the first heading.
std::string_view familyOf(const CoreOp& op);

}  // namespace axle
