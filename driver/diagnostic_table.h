// Diagnostics of files that axc reads and writes: E06.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "frontend/diagnostic.h"

namespace axle::codes {

inline const DiagnosticCode weightsFile{"E0601", Severity::error, "a weights file that cannot be read"};
inline const DiagnosticCode outputFile{"E0602", Severity::error, "an output that cannot be written"};
inline const DiagnosticCode notEmitted{"E0603", Severity::error, "a graph that cannot be written as source"};

}  // namespace axle::codes

namespace axle::driver {

// A code of a diagnostic or of a runtime error.
struct CodeRow {
  std::string_view code, title;
};

// All codes that any part of Axle reports, those of the runtime too, in the order of their numbers.
std::vector<CodeRow> allCodes();

// docs/errors.md, which has a section for each: `## E0302: sizes differ`.
std::string_view errorsPage();

}  // namespace axle::driver
