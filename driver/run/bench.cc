#include "driver/run/bench.h"

#include <chrono>
#include <cstdio>
#include <vector>

#include "driver/run/inputs.h"
#include "driver/run/report.h"
#include "driver/run/run.h"

namespace axle::run {
namespace {

constexpr unsigned mostRuns = 10'000'000;

// `run N W`; false for another line.
bool readRequest(const char* line, unsigned& runs, unsigned& untimed) {
  int end = 0;
  return std::sscanf(line, "run %8u %8u %n", &runs, &untimed, &end) == 2 && line[end] == '\0' && runs > 0 &&
         runs <= mostRuns && untimed <= mostRuns;
}

Outcome<void> runOnce(runtime::Session& session) {
  if (const auto ran = session.run(); !ran) return fail(ran.error());
  return {};
}

Outcome<void> answer(runtime::Session& session, unsigned runs, unsigned untimed, std::vector<double>& milliseconds,
                     std::FILE* out) {
  for (unsigned i = 0; i < untimed; ++i)
    if (auto ran = runOnce(session); !ran) return ran;
  const std::size_t first = milliseconds.size();
  for (unsigned i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    auto ran = runOnce(session);
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

Outcome<void> serve(runtime::Session& session, const RunOptions& options, std::FILE* in, std::FILE* out,
                    std::vector<double>& milliseconds) {
  if (auto set = useThreads(session, options.threads); !set) return set;
  const auto inputs = takeInputs(session, options);
  if (!inputs) return tl::unexpected(inputs.error());
  std::vector<runtime::NamedTensor> tensors;
  for (const PortValue& input : *inputs) tensors.push_back({session.inputs()[input.port].name, input.view});
  if (const auto bound = session.bind(tensors); !bound) return fail(bound.error());
  if (auto ran = runOnce(session); !ran) return ran;
  std::fputs("ready\n", out);
  std::fflush(out);
  char line[256];
  while (std::fgets(line, sizeof line, in) != nullptr) {
    unsigned runs = 0, untimed = 0;
    if (!readRequest(line, runs, untimed))
      return fail(exitUsage, "a line is `run N W`: N timed runs, 1 to 10000000, after W untimed ones");
    if (auto answered = answer(session, runs, untimed, milliseconds, out); !answered) return answered;
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
  return chosen;
}

int serveBenchmark(runtime::Session& session, const RunOptions& options, std::FILE* in, std::FILE* out,
                   std::FILE* err) {
  std::vector<double> milliseconds;
  if (const auto served = serve(session, options, in, out, milliseconds); !served) return report(served.error(), err);
  if (milliseconds.empty()) return exitDone;
  std::fprintf(err, "%s%d %s\n", timesText(milliseconds).c_str(), session.threads(),
               session.threads() == 1 ? "thread" : "threads");
  return exitDone;
}

}  // namespace axle::run
