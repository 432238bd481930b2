// What measures runs: `--profile` and `axrun bench`. `linked_measuring.cc` links it, unless the program defines
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

// The time of each call of a session's runs, while it exists.
class RunProfile {
 public:
  virtual ~RunProfile() = default;

  virtual void beginRun() = 0;
  virtual void endRun() = 0;

  // A line for each call in the order of the run, those of bodies indented; times are means over the runs.
  virtual std::string table() const = 0;
  // The same as a value in JSON: {"runs", "threads", "time_us", "calls": [{"name", "primitive", "depth", "count",
  // "time_us", "share", "gflops", "bytes"}]}.
  virtual void writeJson(JsonWriter& json) const = 0;
  // All runs as JSON that Perfetto opens (https://ui.perfetto.dev).
  virtual Outcome<void> writeTrace(const std::string& path) const = 0;
};

struct Measuring {
  // The option `--profile` of `run`, and all options of `bench`.
  Option (*profileOption)(RunOptions& options);
  std::vector<Option> (*benchOptions)(RunOptions& options);
  // Of a bound session, which must outlive the profile and not be bound again.
  std::unique_ptr<RunProfile> (*profile)(runtime::Session& session);
  // Serves a benchmark: prints `ready`, then answers each line `run N W` of `in` (N timed runs after W untimed ones)
  // with one line of N times in microseconds, and at the end prints a summary to `err`. Gives the exit code.
  int (*bench)(runtime::Session& session, const RunOptions& options, std::FILE* in, std::FILE* out, std::FILE* err);
};
extern const Measuring* const linkedMeasuring;  // null in a program without it

}  // namespace axle::run
