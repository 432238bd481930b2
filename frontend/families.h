// Families of core operators: the headings of stdlib/core.ax, `// ---- NAME ----`.
#pragma once

#include <string_view>

#include "frontend/modules.h"

namespace axle {

// Empty for one before the first heading.
std::string_view familyOf(const CoreOp& op);

}  // namespace axle
