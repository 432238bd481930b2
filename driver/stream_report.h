// Reports how a model works on a stream, for `axc check --stream` and `axc import --stream`.
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
  std::vector<Output> outputs;      // empty if there are blockers
  std::vector<std::string> guards;  // what a run requires of sizes: `T % 4 == 0`
  std::vector<Blocker> blockers;

  bool isStreamable() const { return blockers.empty(); }
};

// Returns the report on a compiled model; none if none of its inputs is streamed.
std::optional<StreamReport> streamReport(Compilation& compilation);

// Describes the analysis of a compilation's model.
StreamReport describeStream(Compilation& compilation, const ir::StreamAnalysis& analysis);

// Compiles the model as a batch run needs it, so that all of its operators that cannot stream are reported, not only
// the first. Reports an error if no input is streamed.
class StreamCheck {
 public:
  explicit StreamCheck(CompileOptions options);

  // None if the model has errors other than its blockers.
  const std::optional<StreamReport>& report() const { return report_; }
  // Returns the diagnostics, in which blockers are errors.
  const Diagnostics& diagnostics() const { return diagnostics_; }
  const Compilation& compilation() const { return *compilation_; }
  int exitCode() const;

 private:
  std::unique_ptr<Compilation> compilation_;
  std::optional<StreamReport> report_;
  Diagnostics diagnostics_;
};

// Reports an error for each blocker.
void reportBlockers(const StreamReport& report, Diagnostics& diagnostics);

std::string streamText(const StreamReport& report);
// Returns one JSON object with "stream" and "diagnostics".
std::string streamJson(const StreamCheck& check);

}  // namespace axle::driver
