// Diagnostics of files that axc reads and writes: E06.
#pragma once

#include <span>
#include <string_view>

#include "frontend/diagnostic.h"

namespace axle::codes {

extern const DiagnosticCode weightsFile;
extern const DiagnosticCode outputFile;
extern const DiagnosticCode notEmitted;

}  // namespace axle::codes

namespace axle::axc {

// A row of any library's table.
struct Explanation {
  std::string_view code, title, text;
};

// All codes that any part of Axle reports, those of the runtime too, in the order of their numbers.
std::vector<Explanation> allCodes();

}  // namespace axle::axc
