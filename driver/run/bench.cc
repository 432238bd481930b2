#include "driver/run/bench.h"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include "driver/run/inputs.h"
#include "driver/run/report.h"
#include "driver/run/run.h"
#include "driver/run/stream_pushes.h"
#include "io/joined.h"

namespace axle::run {
namespace {

constexpr unsigned mostRuns = 10'000'000;

// Parses `run N W`; returns false for any other line.
bool readRequest(const char* line, unsigned& runs, unsigned& untimed) {
  int end = 0;
  return std::sscanf(line, "run %8u %8u %n", &runs, &untimed, &end) == 2 && line[end] == '\0' && runs > 0 &&
         runs <= mostRuns && untimed <= mostRuns;
}

using RunOnce = std::function<Outcome<void>()>;

Outcome<void> answer(const RunOnce& runOnce, unsigned runs, unsigned untimed, std::vector<double>& milliseconds,
                     std::FILE* out) {
  for (unsigned i = 0; i < untimed; ++i)
    if (auto ran = runOnce(); !ran) return ran;
  const std::size_t first = milliseconds.size();
  for (unsigned i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    auto ran = runOnce();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (!ran) return ran;
    milliseconds.push_back(took.count());
  }
  for (std::size_t i = first; i < milliseconds.size(); ++i)
    std::fprintf(out, "%s%.3f", i > first ? " " : "", milliseconds[i] * 1000);
  std::fputc('\n', out);
  std::fflush(out);
  return {};
}

// Prepares what is timed: a run of the entry, or a push.
Outcome<RunOnce> prepare(runtime::Session& session, const RunOptions& options, std::vector<PortValue>& inputs) {
  if (options.push > 0) {
    if (options.threads > 1) return fail(exitUsage, "--threads: a push runs in the thread that calls");
    auto made = StreamPushes::make(session, options, options.push);
    if (!made) return tl::unexpected(std::move(made.error()));
    const auto pushes = std::make_shared<StreamPushes>(std::move(*made));
    return [pushes] { return pushes->push(); };
  }
  if (auto set = useThreads(session, options.threads); !set) return tl::unexpected(std::move(set.error()));
  auto taken = takeInputs(session, options);
  if (!taken) return tl::unexpected(std::move(taken.error()));
  inputs = std::move(*taken);
  std::vector<runtime::NamedTensor> tensors;
  for (const PortValue& input : inputs) tensors.push_back({session.inputs()[input.port].name, input.view});
  if (const auto bound = session.bind(tensors); !bound) return fail(bound.error());
  return [&session]() -> Outcome<void> {
    if (const auto ran = session.run(); !ran) return fail(ran.error());
    return {};
  };
}

Outcome<void> serve(runtime::Session& session, const RunOptions& options, std::FILE* in, std::FILE* out,
                    std::vector<double>& milliseconds) {
  std::vector<PortValue> inputs;
  const auto runOnce = prepare(session, options, inputs);
  if (!runOnce) return tl::unexpected(runOnce.error());
  if (auto ran = (*runOnce)(); !ran) return ran;
  std::fputs("ready\n", out);
  std::fflush(out);
  char line[256];
  while (std::fgets(line, sizeof line, in) != nullptr) {
    unsigned runs = 0, untimed = 0;
    if (!readRequest(line, runs, untimed))
      return fail(exitUsage, "a line is `run N W`: N timed runs, 1 to 10000000, after W untimed ones");
    if (auto answered = answer(*runOnce, runs, untimed, milliseconds, out); !answered) return answered;
  }
  return {};
}

}  // namespace

std::vector<Option> benchOptions(RunOptions& options) {
  std::vector<Option> chosen;
  for (Option& option : runOptions(options))
    for (const std::string_view name : {"-i,--input", "--seed", "--set", "--threads"})
      if (option.names == name) {
        chosen.push_back(std::move(option));
        break;
      }
  chosen.push_back({"--push", "N", "a run pushes N drawn frames of the first streamed input into a stream", false,
                    [&options](const std::string& text) -> std::string {
                      const char* end = text.data() + text.size();
                      const auto [stop, error] = std::from_chars(text.data(), end, options.push);
                      return error == std::errc() && stop == end && options.push > 0
                                 ? ""
                                 : joined({"takes a number of frames from 1 on, not ", text});
                    }});
  return chosen;
}

int serveBenchmark(runtime::Session& session, const RunOptions& options, std::FILE* in, std::FILE* out,
                   std::FILE* err) {
  std::vector<double> milliseconds;
  if (const auto served = serve(session, options, in, out, milliseconds); !served) return report(served.error(), err);
  if (milliseconds.empty()) return exitDone;
  const int threads = options.push > 0 ? 1 : session.threads();
  std::fprintf(err, "%s%d %s\n", timesText(milliseconds).c_str(), threads, threads == 1 ? "thread" : "threads");
  return exitDone;
}

}  // namespace axle::run
