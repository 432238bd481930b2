// axrun: runs bundles on a device.
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "driver/run/failure.h"
#include "driver/run/instruction_set.h"
#include "driver/run/measuring.h"
#include "driver/run/run.h"
#include "driver/run/streaming.h"
#include "runtime/out_of_memory.h"
#include "tools/axrun/command_line.h"
#include "tools/axrun/info.h"
#include "tools/axrun/memory.h"

namespace {

int carryOut(int argc, char** argv) {
  using namespace axle;
  run::InfoOptions infoOptions;
  run::RunOptions runOptions, benchOptions;
  run::StreamRunOptions streamOptions;
  const run::Measuring* const measuring = run::linkedMeasuring;
  const run::Streaming* const streaming = run::linkedStreaming;
  std::vector<run::Command> commands{
      {"info",
       "Print what a bundle holds: types, guards, operators, sizes",
       {run::listOption("--set", "NAME=SIZE", "a size, to compute what depends on it", infoOptions.sets),
        run::formatOption(infoOptions.json)}},
      {"run", "Run a bundle on given or drawn inputs", run::runOptions(runOptions)},
  };
  if (streaming != nullptr)
    commands.push_back(
        {"stream", "Run a bundle on a sequence that arrives frame by frame", streaming->options(streamOptions)});
  if (measuring != nullptr)
    commands.push_back(
        {"bench", "Serve a benchmark: print `ready`, then answer each line `run N W` with the times of N runs in us",
         measuring->benchOptions(benchOptions)});

  const auto [exitCode, line] = run::readCommandLine(commands, {argv + (argc > 0), argv + argc});
  if (exitCode) return *exitCode;
  if (const auto problem = run::chooseInstructionSet()) {
    std::fprintf(stderr, "error: %s\n", problem->c_str());
    return 2;
  }
  const std::string& command = line.command->name;
  auto session = run::openBundle(line.bundle);
  if (command == "info") return run::showInfo(session, line.bundle, infoOptions, stdout, stderr);
  run::RunOptions& options = command == "stream" ? streamOptions.run : runOptions;
  options.model = line.bundle;
  if (!session)
    return command == "bench" ? run::report(session.error(), stderr)
                              : run::reportFailedRun(session.error(), options, stdout, stderr);
  if (command == "bench") return measuring->bench(*session, benchOptions, stdin, stdout, stderr);
  if (command == "stream") return streaming->run(*session, streamOptions, stdin, stdout, stderr);
  return run::runSession(*session, options, stdout, stderr);
}

int runTool(int argc, char** argv) AXLE_TRY { return axle::run::finishOutput(carryOut(argc, argv)); }
AXLE_WITHOUT_MEMORY(axle::reportNoMemory())

}  // namespace

int main(int argc, char** argv) {
  axle::run::prepareStandardStreams();
  return runTool(argc, argv);
}
