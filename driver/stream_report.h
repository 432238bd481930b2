// How a model works on a stream, as `axc check --stream` and `axc import --stream` tell it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/compile.h"
#include "frontend/diagnostic.h"

namespace axle::driver {

struct StreamReport {
  struct Input {
    std::string name;
    std::size_t dimension = 0;
  };
  struct Output {
    std::string name;
    ir::StreamedOutput stream;
  };
  struct Blocker {
    std::string node;        // of a graph
    std::uint32_t line = 0;  // of a source, from 1
    ir::BlockerKind kind = ir::BlockerKind::needsAll;
    std::string op, why;
    std::string_view help;  // what would make it streamable
    Span span;
  };
  std::vector<Input> inputs;
  std::vector<Output> outputs;  // none where there are blockers
  std::vector<Blocker> blockers;

  bool isStreamable() const { return blockers.empty(); }
};

// Of a model that was compiled; none where none of its inputs is streamed.
std::optional<StreamReport> streamReport(Compilation& compilation);

// Of the analysis of a compilation's model.
StreamReport describeStream(const Compilation& compilation, const ir::StreamAnalysis& analysis);

// Compiles the model as a batch run needs it, so that each of its operators that cannot stream is told, not only the
// first; then as `options` say, where that was all. An error where no input is streamed.
class StreamCheck {
 public:
  explicit StreamCheck(CompileOptions options);

  // None where the model has errors besides its blockers.
  const std::optional<StreamReport>& report() const { return report_; }
  // Blockers are errors.
  const Diagnostics& diagnostics() const { return diagnostics_; }
  const Compilation& compilation() const { return *compilation_; }
  int exitCode() const;

 private:
  std::unique_ptr<Compilation> compilation_;
  std::optional<StreamReport> report_;
  Diagnostics diagnostics_;
};

// An error for each blocker.
void reportBlockers(const StreamReport& report, Diagnostics& diagnostics);

std::string streamText(const StreamReport& report);
// One JSON object with "stream" and "diagnostics".
std::string streamJson(const StreamCheck& check);

}  // namespace axle::driver
