// Statements -> text, its layout left to the formatter (frontend/format.h).
#pragma once

#include <string>

#include "import/emit/tree.h"

namespace axle::emit {

// All symbols have texts.
std::string print(const Program& program);

}  // namespace axle::emit
