// What would make a model streamable.
#pragma once

#include <string_view>

#include "ir/stream/analysis.h"

namespace axle::driver {

// For an operator that is a blocker of this kind: what to write instead.
std::string_view streamHelp(ir::BlockerKind kind, ir::Op op);

}  // namespace axle::driver
