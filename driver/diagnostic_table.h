// The list of all diagnostics, and the page that explains them.
#pragma once

#include <string_view>
#include <vector>

namespace axle::driver {

// The code of a diagnostic or of a runtime error.
struct CodeRow {
  std::string_view code, title;
};

// Returns all codes that any part of Axle reports, including the runtime's, in numerical order.
std::vector<CodeRow> allCodes();

// Returns docs/errors.md, which has a section for each code: `## E0302: sizes differ`.
std::string_view errorsPage();

}  // namespace axle::driver
