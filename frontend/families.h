// The text of stdlib/core.ax, and the families in which it groups operators under headings `// ---- NAME ----`.
#pragma once

#include <string>
#include <string_view>

#include "frontend/modules.h"

namespace axle {

std::string_view coreText();

// Returns the `//` comment at the top of a module, without the slashes; empty if it has none.
std::string headComment(std::string_view text);

// Returns the family of an operator; empty before the first heading.
std::string_view familyOf(const CoreOp& op);

}  // namespace axle
