// Measures runs: `--profile` and `axrun bench`. `linked_measuring.cc` links it, unless the program defines
// `linkedMeasuring` itself, as runtimes of `axc build --runtime` do.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "driver/run/failure.h"
#include "driver/run/json.h"
#include "driver/run/options.h"
#include "runtime/session.h"

namespace axle::run {

// Records the time of each call of a session's runs, as long as it exists.
class RunProfile {
 public:
  virtual ~RunProfile() = default;

  virtual void beginRun() = 0;
  virtual void endRun() = 0;

  // Returns a line for each call in the order of the run, with calls of bodies indented; times are means over the runs.
  virtual std::string table() const = 0;
  // The same as a value in JSON: {"runs", "threads", "time_us", "calls": [{"name", "primitive", "depth", "count",
  // "time_us", "share", "gflops", "bytes"}]}.
  virtual void writeJson(JsonWriter& json) const = 0;
  // Writes all runs as JSON that Perfetto opens (https://ui.perfetto.dev).
  virtual Outcome<void> writeTrace(const std::string& path) const = 0;
};

struct Measuring {
  // Return the option `--profile` of `run`, and all options of `bench`.
  Option (*profileOption)(RunOptions& options);
  std::vector<Option> (*benchOptions)(RunOptions& options);
  // Starts a profile of a bound session, which must outlive it and not be bound again.
  std::unique_ptr<RunProfile> (*profile)(runtime::Session& session);
  // Serves a benchmark: prints `ready`, answers each line `run N W` of `in` (N timed runs after W untimed ones) with
  // one line of N times in microseconds, and at the end prints a summary to `err`. Returns the exit code.
  int (*bench)(runtime::Session& session, const RunOptions& options, std::FILE* in, std::FILE* out, std::FILE* err);
};
extern const Measuring* const linkedMeasuring;  // null in a program without it

}  // namespace axle::run
