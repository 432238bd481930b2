// Diagnostics of files that axc reads and writes: E06.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "frontend/diagnostic.h"

namespace axle::codes {

extern const DiagnosticCode weightsFile;
extern const DiagnosticCode outputFile;
extern const DiagnosticCode notEmitted;

}  // namespace axle::codes

namespace axle::driver {

// A row of any library's table.
struct CodeRow {
  std::string_view code, title;
};

// All codes that any part of Axle reports, those of the runtime too, in the order of their numbers.
std::vector<CodeRow> allCodes();

// docs/errors.md, which has a section for each: `## E0302: sizes differ`.
std::string_view errorsPage();

}  // namespace axle::driver
