// axrun: runs bundles on a device.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <span>

#include "driver/run/failure.h"
#include "driver/run/instruction_set.h"
#include "driver/run/measuring.h"
#include "driver/run/run.h"
#include "tools/axrun/command_line.h"
#include "tools/axrun/info.h"

namespace {

int carryOut(int argc, char** argv) {
  using namespace axle;
  run::InfoOptions infoOptions;
  run::RunOptions runOptions, benchOptions;
  run::Command commands[] = {
      {"info",
       "Print what a bundle holds: types, guards, operators, sizes",
       {run::listOption("--set", "NAME=SIZE", "a size, to compute what depends on it", infoOptions.sets),
        run::formatOption(infoOptions.json)}},
      {"run", "Run a bundle on given or drawn inputs", run::runOptions(runOptions)},
      {"bench", "Serve a benchmark: print `ready`, then answer each line `run N W` with the times of N runs in us", {}},
  };
  const run::Measuring* const measuring = run::linkedMeasuring;
  if (measuring != nullptr) commands[2].options = measuring->benchOptions(benchOptions);
  const std::span<const run::Command> linked(commands, measuring != nullptr ? 3 : 2);

  const auto [exitCode, line] = run::readCommandLine(linked, {argv + (argc > 0), argv + argc});
  if (exitCode) return *exitCode;
  if (const auto problem = run::chooseInstructionSet()) {
    std::fprintf(stderr, "error: %s\n", problem->c_str());
    return 2;
  }
  runOptions.model = line.bundle;
  auto session = run::openBundle(line.bundle);
  if (line.command == &commands[0]) return run::showInfo(session, line.bundle, infoOptions, stdout, stderr);
  if (measuring != nullptr && line.command == &commands[2])
    return session ? measuring->bench(*session, benchOptions, stdin, stdout, stderr)
                   : run::report(session.error(), stderr);
  if (!session) return run::reportFailedRun(session.error(), runOptions, stdout, stderr);
  return run::runSession(*session, runOptions, stdout, stderr);
}

}  // namespace

// Replaces the handler of libstdc++, which prints the exception's type and for that links a demangler.
namespace __gnu_cxx {
void __verbose_terminate_handler();
void __verbose_terminate_handler() {
  std::fputs("error: a bug in axrun: an exception was not caught\n", stderr);
  std::abort();
}
}  // namespace __gnu_cxx

int main(int argc, char** argv) {
  axle::run::reserveStandardStreams();
  try {
    return axle::run::finishOutput(carryOut(argc, argv));
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
    return axle::exitRun;
  }
}
