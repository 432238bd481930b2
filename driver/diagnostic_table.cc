#include "driver/diagnostic_table.h"

#include <algorithm>

#include "backend/codes.h"
#include "frontend/codes.h"
#include "import/tensorflow/codes.h"
#include "ir/codes.h"
#include "runtime/error.h"
#include "typecheck/codes.h"

namespace axle::codes {

constexpr DiagnosticCode weightsFile{"E0601", Severity::error, "a weights file that cannot be read"};
constexpr DiagnosticCode outputFile{"E0602", Severity::error, "an output that cannot be written"};
constexpr DiagnosticCode notEmitted{"E0603", Severity::error, "a graph that cannot be written as source"};

}  // namespace axle::codes

namespace axle::driver {

std::vector<CodeRow> allCodes() {
  static constexpr const DiagnosticCode* own[] = {&codes::weightsFile, &codes::outputFile, &codes::notEmitted};
  std::vector<CodeRow> all;
  for (std::span<const DiagnosticCode* const> table : {frontendCodes(), typecheckCodes(), irCodes(), backendCodes(),
                                                       tensorflowCodes(), std::span<const DiagnosticCode* const>(own)})
    for (const DiagnosticCode* row : table) all.push_back({row->code, row->title});
  for (const runtime::ErrorRow& row : runtime::errorTable()) all.push_back({row.code, row.title});
  std::sort(all.begin(), all.end(), [](const CodeRow& a, const CodeRow& b) { return a.code < b.code; });
  return all;
}

}  // namespace axle::driver
