#include "driver/diagnostic_table.h"

#include <algorithm>

#include "frontend/message.h"
#include "runtime/error.h"

namespace axle::driver {

std::vector<CodeRow> allCodes() {
  std::vector<CodeRow> all;
  for (const DiagnosticCode* code : diagnosticCodes()) all.push_back({code->code, code->title});
  for (const runtime::ErrorRow& row : runtime::errorTable()) all.push_back({row.code, row.title});
  std::sort(all.begin(), all.end(), [](const CodeRow& a, const CodeRow& b) { return a.code < b.code; });
  return all;
}

}  // namespace axle::driver
