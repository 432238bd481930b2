// axc build, axc run and axc dump: what compiles an entry.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "io/npz.h"
#include "io/whole_file.h"
#include "ir/dump.h"
#include "ir/passes/pass.h"
#include "runtime/session.h"
#include "driver/diagnostic_table.h"
#include "tools/axc/command_line.h"
#include "tools/axc/commands.h"
#include "driver/compile.h"
#include "tools/axc/import.h"
#include "tools/axc/terminal.h"
#include "driver/variants.h"
#include "driver/run/inputs.h"
#include "driver/run/run.h"

namespace axle::axc {

namespace {

void addSet(CLI::App& app, std::vector<std::string>& sets) {
  app.add_option("--set", sets, "the value of a size or a shape: n=4, s=[2,3]; may be given again")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

int refuseBundle(const std::string& path) {
  auto failure = run::fail(exitUsage, path + " is a bundle: it is compiled already");
  failure.value().help.push_back("`axc check` prints its types, `axc run` and `axrun run` run it");
  return run::report(failure.value(), stderr);
}

// ---- build

struct BuildArguments {
  SourceOptions source;
  GraphArguments graph;
  std::string output;
};

int buildCommand(BuildArguments& arguments) {
  if (isBundle(arguments.source.path)) return refuseBundle(arguments.source.path);
  if (isGraph(arguments.source.path)) arguments.source.graph = {arguments.graph.choice, {}};
  Compilation compilation(arguments.source);
  for (const std::string& input : {arguments.source.path, arguments.source.weights}) {
    std::error_code unknown;  // a file that is not there is no input's
    if (input.empty() || !std::filesystem::equivalent(input, arguments.output, unknown)) continue;
    auto failure = run::fail(exitUsage, arguments.output + " is read for the bundle, which cannot be written over it");
    return run::report(failure.value(), stderr);
  }
  std::optional<OpenEntry> open;
  std::optional<Bundle> bundle = compile(compilation, nullptr, &open);
  std::string type = bundle ? compilation.entry()->type : open ? open->type : "", ranks;
  if (open) {
    RankVariants variants(arguments.source, *open);
    bundle = variants.bundle(compilation);
    const Compilation& told = bundle || !variants.refused() ? compilation : *variants.refused();
    told.report();
    if (!bundle) return told.exitCode();
    if (variants.all().size() == 1) type = variants.all().front().interface.entryType;
    if (variants.all().size() > 1) ranks = ", " + std::to_string(variants.all().size()) + " combinations of ranks";
  }
  if (!bundle) return compilation.exitCode();
  auto written = writeWholeFile(arguments.output, bundle->pieces());
  if (!written) {
    Diagnostic d;
    d.code = &codes::outputFile;
    d.message = "the bundle cannot be written: " + written.error().what;
    d.primary = {ArtifactPlace{arguments.output, ""}, ""};
    printDiagnostics(stderr, {d}, compilation.sources());
    return exitUsage;
  }
  const std::string& entry = arguments.source.entry;
  std::printf("%s: %zu bytes, %s : %s%s\n", arguments.output.c_str(), bundle->bytes(),
              entry.empty() ? "main" : entry.c_str(), type.c_str(), ranks.c_str());
  return exitDone;
}

// ---- run

struct RunArguments {
  SourceOptions source;
  GraphArguments graph;
  run::RunOptions run;
};

int runBundle(const RunArguments& arguments) {
  if (!arguments.source.weights.empty() || !arguments.source.entry.empty()) {
    auto failure = run::fail(exitUsage,
                             "a bundle has its weights and its entry already: --weights and --entry are "
                             "for sources");
    return run::reportFailedRun(failure.value(), arguments.run, stdout, stderr);
  }
  if (arguments.source.trace) {
    auto failure =
        run::fail(exitUsage, "a bundle shows what goes in and comes out only: --dump-all is for sources and graphs");
    return run::reportFailedRun(failure.value(), arguments.run, stdout, stderr);
  }
  auto session = run::openBundle(arguments.source.path);
  if (!session) return run::reportFailedRun(session.error(), arguments.run, stdout, stderr);
  return run::runSession(*session, arguments.run, stdout, stderr);
}

int runCommand(RunArguments arguments) {
  arguments.run.model = arguments.source.path;
  arguments.source.trace = !arguments.run.dumpFolder.empty();
  if (isBundle(arguments.source.path)) return runBundle(arguments);
  if (auto there = run::checkFiles(arguments.run); !there)
    return run::reportFailedRun(there.error(), arguments.run, stdout, stderr);
  arguments.source.sets = std::exchange(arguments.run.sets, {});
  arguments.source.inputRanks = ranksOf(arguments.run.inputs);
  if (isGraph(arguments.source.path)) arguments.source.graph = requestOf(arguments.graph, arguments.run);
  TensorBytes bytes;
  {
    Compilation compilation(arguments.source);
    std::optional<Bundle> bundle = compile(compilation, &arguments.run.sets);
    if (!bundle && arguments.run.json) std::fputs(run::failedRunJson(compilation.diagnosticsJson()).c_str(), stdout);
    if (!bundle) return compilation.exitCode();
    if (arguments.source.graph) namePorts(compilation.graph(), arguments.run);
    if (arguments.source.trace && arguments.run.outputs.empty())
      arguments.run.outputs.assign(
          compilation.model().outputNames.begin(),
          compilation.model().outputNames.begin() + static_cast<std::ptrdiff_t>(compilation.ownOutputs()));
    bytes = bundle->inMemory();
  }
  auto session = runtime::Session::fromMemory(bytes.bytes, bytes.owner);
  if (!session) return run::reportFailedRun(run::fail(session.error()).value(), arguments.run, stdout, stderr);
  return run::runSession(*session, arguments.run, stdout, stderr);
}

// ---- dump

struct DumpArguments {
  SourceOptions source;
  GraphArguments graph;
  std::string after;
  bool dot = false;
};

int dumpCommand(DumpArguments& arguments) {
  arguments.graph.path = arguments.source.path;
  if (isGraph(arguments.source.path)) {
    if (arguments.after.empty() && !arguments.dot) return dumpGraph(arguments.graph);
    arguments.source.graph = {arguments.graph.choice, {}};
  }
  if (isBundle(arguments.source.path)) return refuseBundle(arguments.source.path);
  Compilation compilation(arguments.source);
  bool good = compilation.check() && compilation.prepare() && compilation.lower();
  if (good && arguments.after != "lower") good = compilation.optimise(arguments.after);
  compilation.report();
  if (!good) return compilation.exitCode();
  auto dump = arguments.dot ? ir::dumpDot : ir::dumpText;
  std::fputs(dump(compilation.model(), compilation.sources()).c_str(), stdout);
  return exitDone;
}

}  // namespace

Action addBuild(CLI::App& app) {
  auto arguments = std::make_shared<BuildArguments>();
  addSourceOptions(app, arguments->source, "a source file (.ax), or a TensorFlow graph");
  addGraphOptions(app, arguments->graph);
  app.add_option("-o", arguments->output, "the bundle to write")->required()->type_name("OUT");
  addSet(app, arguments->source.sets);
  addLevelOptions(app, arguments->source);
  return [arguments] { return buildCommand(*arguments); };
}

Action addRun(CLI::App& app) {
  auto arguments = std::make_shared<RunArguments>();
  addSourceOptions(app, arguments->source, "a source file (.ax), a TensorFlow graph, or a bundle (.axb)");
  addOptions(app, run::runOptions(arguments->run));
  app.add_option("--dump-all", arguments->run.dumpFolder, "write inputs and all that is computed to DIR, an npy each")
      ->type_name("DIR")
      ->check([](const std::string& word) { return word.empty() ? "takes a folder" : ""; });
  addGraphChoice(app, arguments->graph);
  addLevelOptions(app, arguments->source);
  return [arguments] { return runCommand(*arguments); };
}

Action addDump(CLI::App& app) {
  auto arguments = std::make_shared<DumpArguments>();
  addSourceOptions(app, arguments->source, "a source file (.ax), or a TensorFlow graph");
  addGraphOptions(app, arguments->graph);
  addSet(app, arguments->source.sets);
  std::vector<std::string> passes{"lower"};
  for (const ir::Pass& pass : ir::passTable()) passes.emplace_back(pass.name);
  app.add_option("--after,--stop-after", arguments->after, "the last pass to run; `lower` for none (all)")
      ->type_name("PASS")
      ->check(CLI::IsMember(passes));
  app.add_option_function<std::string>(
         "--format", [arguments](const std::string& format) { arguments->dot = format == "dot"; },
         "text (the default) or dot")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "dot"}));
  return [arguments] { return dumpCommand(*arguments); };
}

}  // namespace axle::axc
