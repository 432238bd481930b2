// Compares a run and all its intermediate values with those that another run recorded: `axc compare`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "driver/recorded.h"
#include "driver/run/compare.h"
#include "driver/run/inputs.h"
#include "ir/trace.h"
#include "runtime/session.h"

namespace axle::driver {

// A run of a traced model.
struct TracedRun {
  runtime::Session session;
  ir::Trace trace;
  std::vector<run::PortValue> inputs;

  runtime::TensorView view(const ir::TracePort& port) const;
  const std::string& name(const ir::TracePort& port) const;
};

struct TracedDifference {
  std::size_t output = 0;
  run::PortValue expected;
  run::Comparison comparison;
};

struct NanOrigin {
  std::size_t first = 0;  // the first output that has a NaN
  std::size_t firstAt = 0;
  ir::TracePort from;  // not finite although everything that it is computed from is, or an input
  std::size_t fromAt = 0;
};

struct RunComparison {
  std::size_t compared = 0;
  std::vector<TracedDifference> differing;  // in the graph's order
  std::vector<std::string> unmatched;       // recorded tensors whose names the model does not compute
  std::vector<std::string> unreadable;      // recorded tensors whose elements are not compared
  std::optional<NanOrigin> nan;
};

// Runs a bundle whose outputs `trace` describes, on the inputs of the options, or else on recorded ones, or else on
// drawn ones.
run::Outcome<TracedRun> runTraced(const TensorBytes& bundle, ir::Trace trace, const run::RunOptions& options,
                                  const Recorded& recorded);

run::Outcome<RunComparison> compareRun(const TracedRun& traced, const Recorded& recorded,
                                       const run::Tolerance& tolerance);

std::string comparisonReport(const TracedRun& traced, const RunComparison& comparison, const run::Tolerance& tolerance,
                             const std::string& against);
std::string comparisonJson(const TracedRun& traced, const RunComparison& comparison);

// The names of the outputs that differ.
std::vector<std::string> differingNames(const TracedRun& traced, const RunComparison& comparison);
// Lists the first few names, and the number of the others.
std::string listNames(const std::vector<std::string>& names);

}  // namespace axle::driver
