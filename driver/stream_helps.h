// Suggests how to make a model streamable.
#pragma once

#include <string_view>

#include "ir/stream/analysis.h"

namespace axle::driver {

// Returns what to write instead of an operator that is a blocker of this kind.
std::string_view streamHelp(ir::BlockerKind kind, ir::Op op);

}  // namespace axle::driver
