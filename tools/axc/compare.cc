// axc compare: finds where a run first differs from a recorded one, and where its first NaN came from.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "driver/compare_runs.h"
#include "driver/compile.h"
#include "driver/foreign_file.h"
#include "driver/recorded.h"
#include "driver/run/inputs.h"
#include "driver/run/run.h"
#include "tools/axc/command_line.h"
#include "tools/axc/commands.h"
#include "tools/axc/options.h"
#include "tools/axc/terminal.h"

namespace axle::axc {

namespace {

struct CompareArguments {
  driver::CompileOptions compile;
  tensorflow::Choice choice;
  run::RunOptions run;
  std::string against;
};

// Prints diagnostics, which are JSON objects as text, if the format is JSON.
void printDiagnosticsJson(const CompareArguments& arguments, const std::vector<std::string>& diagnostics) {
  if (!arguments.run.json) return;
  std::string list;
  for (const std::string& diagnostic : diagnostics) list += (list.empty() ? "" : ",") + diagnostic;
  std::printf("{\"diagnostics\":[%s]}\n", list.c_str());
}

int refuse(const run::Failure& failure, const CompareArguments& arguments) {
  printDiagnosticsJson(arguments, {run::diagnosticJson(failure, arguments.compile.path)});
  return run::report(failure, stderr);
}

void note(const char* what, const std::vector<std::string>& names, const std::string& path) {
  if (!names.empty())
    std::fprintf(stderr, "note: %zu of the tensors of %s %s: %s\n", names.size(), path.c_str(), what,
                 driver::listNames(names).c_str());
}

int compareCommand(CompareArguments arguments) {
  if (const auto foreign = driver::refuseForeignFile(arguments.compile.path)) return refuse(*foreign, arguments);
  if (driver::isBundle(arguments.compile.path))
    return refuse(run::fail(exitUsage, "a bundle exposes only its inputs and outputs; compare its source").value(),
                  arguments);
  if (auto there = run::checkFiles(arguments.run); !there) return refuse(there.error(), arguments);
  auto recorded = driver::Recorded::open(arguments.against);
  if (!recorded) return refuse(recorded.error(), arguments);
  if (driver::isGraph(arguments.compile.path)) {
    arguments.compile.graph = driver::requestFor(arguments.choice, arguments.run);
    arguments.compile.graph->recorded = &*recorded;
  } else {
    recorded->addNamesOf(arguments.compile.path);
  }
  arguments.compile.sets = std::exchange(arguments.run.sets, {});
  arguments.compile.inputRanks = driver::inputRanks(arguments.run.inputs);
  arguments.compile.trace = true;
  TensorBytes bytes;
  ir::Trace trace;
  {
    driver::Compilation compilation(arguments.compile);
    if (compilation.reach(driver::Stage::check)) arguments.run.sets = compilation.takeInputSizes();
    std::optional<Bundle> bundle = compilation.bundle();
    const int code = report(compilation);
    if (!bundle) {
      printDiagnosticsJson(arguments, compilation.diagnosticsJson());
      return code;
    }
    if (arguments.compile.graph) driver::usePortNames(compilation.graph(), arguments.run);
    trace = compilation.traced().trace;
    bytes = bundle->inMemory();
  }
  auto traced = driver::runTraced(bytes, std::move(trace), arguments.run, *recorded);
  if (!traced) return refuse(traced.error(), arguments);
  auto comparison = driver::compareRun(*traced, *recorded, arguments.run.tolerance);
  if (!comparison) return refuse(comparison.error(), arguments);
  std::fputs(
      (arguments.run.json ? driver::comparisonJson(*traced, *comparison)
                          : driver::comparisonReport(*traced, *comparison, arguments.run.tolerance, arguments.against))
          .c_str(),
      stdout);
  note("are not computed by the model", comparison->unmatched, arguments.against);
  note("have elements that are not compared", comparison->unreadable, arguments.against);
  if (comparison->differing.empty()) return exitDone;
  std::fprintf(stderr, "error: %s differs from %s, first in %s\n", arguments.compile.path.c_str(),
               arguments.against.c_str(), driver::differingNames(*traced, *comparison).front().c_str());
  return exitRun;
}

}  // namespace

Action addCompare(CLI::App& app) {
  auto arguments = std::make_shared<CompareArguments>();
  addSourceOptions(app, arguments->compile, "a source file (.ax), or a TensorFlow graph");
  app.add_option("--against", arguments->against,
                 "a recorded run: a folder of NAME.npy (`run --dump-all` makes one), or an npz; inputs too")
      ->required()
      ->type_name("DIR|NPZ");
  static constexpr std::string_view taken[] = {"-i,--input", "--output", "--rtol",    "--atol",
                                               "--seed",     "--set",    "--threads", "--format"};
  std::vector<run::Option> options = run::runOptions(arguments->run);
  std::erase_if(options, [](const run::Option& option) {
    return std::find(std::begin(taken), std::end(taken), option.names) == std::end(taken);
  });
  for (run::Option& option : options)
    if (option.names == "--output") option.help = "of a graph, look at what this output needs; may be given again";
  addOptions(app, options);
  addGraphChoice(app, arguments->choice);
  addLevelOption(app, arguments->compile);
  return [arguments] { return compareCommand(*arguments); };
}

}  // namespace axle::axc
