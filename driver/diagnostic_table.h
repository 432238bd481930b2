// The list of all diagnostics, and the page that explains them.
#pragma once

#include <string_view>
#include <vector>

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
