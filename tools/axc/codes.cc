#include "tools/axc/codes.h"

#include <algorithm>

#include "backend/codes.h"
#include "frontend/codes.h"
#include "ir/codes.h"
#include "ir/import/tensorflow/codes.h"
#include "runtime/error.h"
#include "typecheck/codes.h"

namespace axle::codes {

constexpr DiagnosticCode weightsFile{
    "E0601", Severity::error, "a weights file that cannot be read",
    "Weights are safetensors or npz files. The file does not exist, may not be read, is of another kind, or is "
    "damaged: a header that is\n"
    "no JSON, tensors that overlap or end behind the file's end, a checksum that differs. The message says which.\n"};

constexpr DiagnosticCode outputFile{"E0602", Severity::error, "an output that cannot be written",
                                    "A file that a command makes appears whole or not at all: it is written beside its "
                                    "place and then renamed. The folder does not exist,\n"
                                    "may not be written to, or its disk is full. Nothing was changed.\n"};

constexpr DiagnosticCode notEmitted{"E0603", Severity::error, "a graph that cannot be written as source",
                                    "The graph can be checked and run, but `axc import --emit ax` cannot say all of it "
                                    "in the language. The message says "
                                    "what stands in the way and where;\n"
                                    "no file was written.\n"};

}  // namespace axle::codes

namespace axle::axc {

std::vector<Explanation> allCodes() {
  static constexpr const DiagnosticCode* own[] = {&codes::weightsFile, &codes::outputFile, &codes::notEmitted};
  std::vector<Explanation> all;
  for (std::span<const DiagnosticCode* const> table : {frontendCodes(), typecheckCodes(), irCodes(), backendCodes(),
                                                       tensorflowCodes(), std::span<const DiagnosticCode* const>(own)})
    for (const DiagnosticCode* row : table) all.push_back({row->code, row->title, row->explanation});
  for (const runtime::ErrorRow& row : runtime::errorTable()) all.push_back({row.code, row.title, row.explanation});
  std::sort(all.begin(), all.end(), [](const Explanation& a, const Explanation& b) { return a.code < b.code; });
  return all;
}

}  // namespace axle::axc
