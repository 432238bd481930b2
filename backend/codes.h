// Codes of the backend: E052.
#pragma once

#include "frontend/diagnostic.h"

namespace axle::codes {

inline const DiagnosticCode unboundSymbol{"E0521", Severity::error, "a size that no input tells"};
inline const DiagnosticCode missingWeights{"E0522", Severity::error, "a program with parameters and no weights"};
inline const DiagnosticCode unreadableWeight{"E0523", Severity::error, "a tensor that cannot be read"};
inline const DiagnosticCode changedWeight{"E0524", Severity::error, "a tensor whose size differs from its type"};
inline const DiagnosticCode modelOutOfBounds{"E0525", Severity::error, "a model beyond what a bundle can hold"};

}  // namespace axle::codes
