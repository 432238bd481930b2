// Diagnostics of the backend: E05, from E0521.
#pragma once

#include <span>

#include "frontend/diagnostic.h"

namespace axle::codes {

extern const DiagnosticCode unboundSymbol;
extern const DiagnosticCode missingWeights;
extern const DiagnosticCode unreadableWeight;
extern const DiagnosticCode changedWeight;
extern const DiagnosticCode modelOutOfBounds;

}  // namespace axle::codes

namespace axle {

std::span<const DiagnosticCode* const> backendCodes();

}  // namespace axle
