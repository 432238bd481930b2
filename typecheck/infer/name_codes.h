// Codes of errors about names without a meaning.
#pragma once

#include "frontend/diagnostic.h"

namespace axle::codes {

inline const DiagnosticCode unknownName{"E0201", Severity::error, "unknown name"};
inline const DiagnosticCode recursive{"E0203", Severity::error, "recursive binding"};
inline const DiagnosticCode unknownMember{"E0205", Severity::error, "a module has no such member"};

}  // namespace axle::codes
