// Diagnostics of programs that exceed the limits of lowering.
#pragma once

#include "frontend/diagnostic.h"

namespace axle::codes {

inline const DiagnosticCode inliningTooDeep{"E0513", Severity::error, "calls nest too deeply"};
inline const DiagnosticCode modelTooLarge{"E0514", Severity::error, "the inlined entry is too large"};

}  // namespace axle::codes

namespace axle::ir::lowering {

inline constexpr Format<> repetitionDoubles{
    "a function that calls others repeatedly doubles with each level; write repetition as `loop` or `map`"};

}  // namespace axle::ir::lowering
