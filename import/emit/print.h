// Prints statements as text. The formatter does the layout (frontend/format.h).
#pragma once

#include <string>

#include "import/emit/tree.h"

namespace axle::emit {

// All symbols must have names (spelling.h).
std::string print(const Program& program);

}  // namespace axle::emit
