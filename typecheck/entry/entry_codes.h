// Codes of errors in preparing an entry.
#pragma once

#include "frontend/diagnostic.h"

namespace axle::codes {

inline const DiagnosticCode noEntry{"E0501", Severity::error, "no such entry"};
inline const DiagnosticCode entryType{"E0502", Severity::error, "not an entry"};
inline const DiagnosticCode openEntry{"E0504", Severity::error, "a result of open shape"};
inline const DiagnosticCode unknownSet{"E0505", Severity::error, "nothing to set"};
inline const DiagnosticCode entryText{"E0506", Severity::error, "text cannot be compiled"};
inline const DiagnosticCode severalSplits{"E0507", Severity::error, "a shape that can be split in several ways"};

}  // namespace axle::codes
