// axc build, axc run and axc dump: the commands that compile an entry.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "driver/bisect.h"
#include "driver/build.h"
#include "driver/chunk_curve.h"
#include "driver/compile.h"
#include "driver/foreign_file.h"
#include "driver/link_runtime.h"
#include "driver/run/inputs.h"
#include "driver/run/run.h"
#include "driver/stream_report.h"
#include "import/tensorflow/dump.h"
#include "io/mapped_file.h"
#include "ir/dump.h"
#include "ir/passes/pass.h"
#include "runtime/session.h"
#include "tools/axc/command_line.h"
#include "tools/axc/commands.h"
#include "tools/axc/options.h"
#include "tools/axc/terminal.h"
#include "typecheck/report/conflict_messages.h"

namespace axle::axc {

namespace {

int refuseBundle(const std::string& path) {
  auto failure = run::fail(exitUsage, path + " is a bundle: it is compiled already");
  failure.value().help.push_back("`axc check` prints its types, `axc run` and `axrun run` run it");
  return run::report(failure.value(), stderr);
}

// ---- build

constexpr std::string_view automatic = "auto";  // --chunk

bool isChunk(std::string_view word) {
  std::uint64_t frames = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, frames);
  return word == automatic || (error == std::errc() && stop == end && frames >= 1 && frames <= (1u << 31));
}

struct BuildArguments {
  driver::CompileOptions compile;
  tensorflow::Choice choice;
  std::string output;   // the bundle; if empty, none is written
  std::string runtime;  // a program that runs it; if empty, none is linked
  driver::RuntimeRequest request;
  bool measuresChunk = false;  // gives the bundle the best chunk
  bool tellsChunks = false;    // prints the curve of chunks
};

int refuse(const std::string& what) { return run::report(run::fail(exitUsage, what).value(), stderr); }

// Whether `output` is a file from which the bundle is made.
bool overwritesInput(const BuildArguments& arguments, const std::string& output) {
  for (const std::string& input : {arguments.compile.path, arguments.compile.weights}) {
    std::error_code ignored;  // a file that does not exist is not an input
    if (!input.empty() && !output.empty() && std::filesystem::equivalent(input, output, ignored)) return true;
  }
  return false;
}

// Says what is wrong with the options; returns an empty text if nothing is.
std::string refuseOptions(const BuildArguments& arguments) {
  const bool linksRuntime = !arguments.runtime.empty();
  if (arguments.output.empty() && !linksRuntime) return "-o OUT is missing: the bundle to write";
  if (!linksRuntime && !arguments.request.deviceFolder.empty())
    return "--device-lib is for --runtime OUT, which is not given";
  if (linksRuntime && arguments.runtime == arguments.output) return "-o and --runtime name the same file";
  if (overwritesInput(arguments, arguments.output))
    return arguments.output + " is read for the bundle, which cannot be written over it";
  if (overwritesInput(arguments, arguments.runtime))
    return arguments.runtime + " is read for the bundle, and the runtime cannot be written over it";
  return "";
}

// Writes a linked program and prints its size.
int writeRuntime(const BuildArguments& arguments, std::span<const std::byte> program) {
  if (const auto written = driver::writeProgram(program, arguments.runtime); !written)
    return run::report(written.error(), stderr);
  std::printf("%s: %zu bytes, a runtime for this bundle\n", arguments.runtime.c_str(), program.size());
  return exitDone;
}

// Carries out `build BUNDLE --runtime OUT`.
int linkForBundle(const BuildArguments& arguments) {
  if (arguments.runtime.empty() || !arguments.output.empty()) return refuseBundle(arguments.compile.path);
  if (const auto session = run::openBundle(arguments.compile.path); !session)
    return run::report(session.error(), stderr);
  const auto file = mapFile(arguments.compile.path);
  if (!file) return refuse(file.error().path + ": " + file.error().what);
  const auto program = driver::linkRuntime(file->bytes, arguments.request);
  return program ? writeRuntime(arguments, *program) : run::report(program.error(), stderr);
}

// If the checker refused the model because it does not stream, prints every operator that cannot stream and returns the
// exit code. Builds the model again if it streams after all, for example with a tensor behind the stream.
std::optional<int> refusedStream(BuildArguments& arguments, std::optional<driver::Build>& build) {
  const Diagnostics& all = build->compilation().diagnostics();
  const bool isRefused =
      std::any_of(all.begin(), all.end(), [](const Diagnostic& d) { return d.code == &codes::streamMismatch; });
  if (build->bundle() || !isRefused) return std::nullopt;
  const driver::StreamCheck check(arguments.compile);
  if (!check.report()) return std::nullopt;
  if (check.report()->isStreamable()) {
    arguments.compile.streamsAreSizes = true;
    build.emplace(arguments.compile);
    return std::nullopt;
  }
  printDiagnostics(stderr, check.diagnostics(), check.compilation().sources());
  return check.exitCode();
}

// Returns the number of frames in a push for the bundle, measured if the options say so.
run::Outcome<std::uint64_t> chunkOf(const BuildArguments& arguments, const Bundle& bundle) {
  if (arguments.compile.chunk == 0 && !arguments.measuresChunk && !arguments.tellsChunks) return 0;
  const auto streams = driver::hasStream(bundle);
  if (!streams) return tl::unexpected(streams.error());
  if (!*streams)
    return run::fail(exitUsage, std::string(arguments.tellsChunks ? "--stream-report" : "--chunk") +
                                    ": no input of this entry is streamed (`~T`)");
  if (!arguments.measuresChunk && !arguments.tellsChunks) return arguments.compile.chunk;
  const auto curve = driver::measureChunks(bundle);
  if (!curve) return tl::unexpected(curve.error());
  const auto best = static_cast<std::uint64_t>(driver::chooseChunk(*curve));
  if (arguments.tellsChunks)
    std::printf("%sbest chunk %llu: the smallest within 10 %% of the least time of a frame\n",
                driver::chunkTable(*curve).c_str(), static_cast<unsigned long long>(best));
  return arguments.measuresChunk ? best : arguments.compile.chunk;
}

int buildCommand(BuildArguments& arguments) {
  if (const std::string problem = refuseOptions(arguments); !problem.empty()) return refuse(problem);
  if (const auto foreign = driver::refuseForeignFile(arguments.compile.path)) return run::report(*foreign, stderr);
  if (driver::isBundle(arguments.compile.path)) return linkForBundle(arguments);
  if (driver::isGraph(arguments.compile.path)) arguments.compile.graph = {arguments.choice, {}};
  std::optional<driver::Build> made(std::in_place, arguments.compile);
  if (const auto refused = refusedStream(arguments, made)) return *refused;
  if (const int code = report(made->failed() ? *made->failed() : made->compilation()); !made->bundle()) return code;
  const auto chunk = chunkOf(arguments, *made->bundle());
  if (!chunk) return run::report(chunk.error(), stderr);
  if (*chunk != arguments.compile.chunk) {
    arguments.compile.chunk = *chunk;
    made.emplace(arguments.compile);
    if (!made->bundle()) return report(made->failed() ? *made->failed() : made->compilation());
  }
  const driver::Build& build = *made;
  std::vector<std::byte> program;  // linked before anything is written, so that a failure leaves no files
  if (!arguments.runtime.empty()) {
    auto linked = driver::linkRuntime(build.bundle()->inMemory().bytes, arguments.request);
    if (!linked) return run::report(linked.error(), stderr);
    program = std::move(*linked);
  }
  if (!arguments.output.empty()) {
    if (auto written = driver::writeBundle(*build.bundle(), arguments.output); !written) {
      printDiagnostics(stderr, {written.error()}, build.compilation().sources());
      return exitUsage;
    }
    const std::string& entry = arguments.compile.entry;
    std::printf("%s: %zu bytes, %s : %s", arguments.output.c_str(), build.bundle()->bytes(),
                entry.empty() ? "main" : entry.c_str(), build.type().c_str());
    if (build.programs() > 1) std::printf(", %zu combinations of ranks", build.programs());
    std::printf("\n");
  }
  return arguments.runtime.empty() ? exitDone : writeRuntime(arguments, program);
}

// ---- run

struct RunArguments {
  driver::CompileOptions compile;
  tensorflow::Choice choice;
  run::RunOptions run;
};

int runBundle(const RunArguments& arguments) {
  if (!arguments.compile.weights.empty() || !arguments.compile.entry.empty()) {
    auto failure = run::fail(exitUsage,
                             "a bundle has its weights and its entry already: --weights and --entry are "
                             "for sources");
    return run::reportFailedRun(failure.value(), arguments.run, stdout, stderr);
  }
  if (arguments.compile.trace) {
    auto failure =
        run::fail(exitUsage, "a bundle exposes only its inputs and outputs: --dump-all is for sources and graphs");
    return run::reportFailedRun(failure.value(), arguments.run, stdout, stderr);
  }
  auto session = run::openBundle(arguments.compile.path);
  if (!session) return run::reportFailedRun(session.error(), arguments.run, stdout, stderr);
  return run::runSession(*session, arguments.run, stdout, stderr);
}

int runCommand(RunArguments arguments) {
  arguments.run.model = arguments.compile.path;
  if (const auto foreign = driver::refuseForeignFile(arguments.compile.path))
    return run::reportFailedRun(*foreign, arguments.run, stdout, stderr);
  arguments.compile.trace = !arguments.run.dumpFolder.empty();
  if (driver::isBundle(arguments.compile.path)) return runBundle(arguments);
  if (auto there = run::checkFiles(arguments.run); !there)
    return run::reportFailedRun(there.error(), arguments.run, stdout, stderr);
  arguments.compile.sets = std::exchange(arguments.run.sets, {});
  arguments.compile.inputRanks = driver::inputRanks(arguments.run.inputs);
  if (driver::isGraph(arguments.compile.path))
    arguments.compile.graph = driver::requestFor(arguments.choice, arguments.run);
  TensorBytes bytes;
  {
    driver::Compilation compilation(arguments.compile);
    if (compilation.reach(driver::Stage::check)) arguments.run.sets = compilation.takeInputSizes();
    std::optional<Bundle> bundle = compilation.bundle();
    const int code = report(compilation);
    if (!bundle && arguments.run.json) std::fputs(run::failedRunJson(compilation.diagnosticsJson()).c_str(), stdout);
    if (!bundle) return code;
    if (arguments.compile.graph) driver::usePortNames(compilation.graph(), arguments.run);
    if (arguments.compile.trace && arguments.run.outputs.empty()) {
      const std::vector<std::string>& names = compilation.model().outputNames;
      arguments.run.outputs.assign(names.begin(),
                                   names.begin() + static_cast<std::ptrdiff_t>(compilation.traced().own));
    }
    bytes = bundle->inMemory();
  }
  auto session = runtime::Session::fromMemory(bytes.bytes, bytes.owner);
  if (!session) return run::reportFailedRun(run::fail(session.error()).value(), arguments.run, stdout, stderr);
  return run::runSession(*session, arguments.run, stdout, stderr);
}

// ---- dump

constexpr const char* onlyLowered = "lower";  // --after: no pass runs

struct DumpArguments {
  driver::CompileOptions compile;
  tensorflow::Choice choice;
  std::string after, pass;
  bool dot = false;
  bool bisects = false;
  run::RunOptions run;  // of --bisect
};

int dumpGraph(const DumpArguments& arguments) {
  driver::ReadGraph graph = driver::readGraph(arguments.compile.path, arguments.choice);
  printDiagnostics(stderr, graph.diagnostics, graph.sources);
  if (graph.model) std::fputs(tensorflow::dump(*graph.model).c_str(), stdout);
  return graph.exitCode;
}

// Prints the first patch that changes a result.
int bisectCommand(DumpArguments& arguments) {
  arguments.run.model = arguments.compile.path;
  if (auto there = run::checkFiles(arguments.run); !there) return run::report(there.error(), stderr);
  arguments.compile.inputRanks = driver::inputRanks(arguments.run.inputs);
  {
    driver::Compilation compilation(arguments.compile);
    const bool isGood = compilation.reach(driver::Stage::optimise);
    if (const int code = report(compilation); !isGood) return code;
    if (arguments.compile.graph) driver::usePortNames(compilation.graph(), arguments.run);
  }
  const auto found = driver::bisect(arguments.compile, arguments.run);
  if (!found) return run::report(found.error(), stderr);
  if (found->first)
    std::printf("patch %zu of %zu: %s\n%s\n", *found->first, found->patches, found->patch.c_str(),
                found->difference.c_str());
  else
    std::printf("none of %zu patches changes a result\n", found->patches);
  return exitDone;
}

int dumpCommand(DumpArguments& arguments) {
  if (const auto foreign = driver::refuseForeignFile(arguments.compile.path)) return run::report(*foreign, stderr);
  if (driver::isGraph(arguments.compile.path)) {
    const bool isLowered = !arguments.after.empty() || !arguments.pass.empty() || arguments.dot || arguments.bisects;
    if (!isLowered) return dumpGraph(arguments);
    arguments.compile.graph = {arguments.choice, {}};
  }
  if (driver::isBundle(arguments.compile.path)) return refuseBundle(arguments.compile.path);
  arguments.compile.runsPasses = arguments.after != onlyLowered;
  arguments.compile.lastPass = arguments.after;
  arguments.compile.onlyPass = arguments.pass;
  if (arguments.bisects) return bisectCommand(arguments);
  driver::Compilation compilation(arguments.compile);
  const bool isGood = compilation.reach(driver::Stage::optimise);
  const int code = report(compilation);
  if (!isGood) return code;
  auto dump = arguments.dot ? ir::dumpDot : ir::dumpText;
  std::fputs(dump(compilation.model(), compilation.sources()).c_str(), stdout);
  return exitDone;
}

}  // namespace

Action addBuild(CLI::App& app) {
  auto arguments = std::make_shared<BuildArguments>();
  addSourceOptions(app, arguments->compile, "a source file (.ax), or a TensorFlow graph");
  addGraphOptions(app, arguments->choice);
  app.add_option("-o", arguments->output, "the bundle to write; may be left off with --runtime")->type_name("OUT");
  app.add_option("--runtime", arguments->runtime, "link an axrun with only the kernels of this bundle")
      ->type_name("OUT");
  app.add_option("--target", arguments->request.target,
                 "the machine: host (the default), arm64, armhf or x86-64, with a processor as in arm64:cortex-a72, or "
                 "portable. Bundles are the same for all; --runtime links for this one")
      ->type_name("T")
      ->check([](const std::string& word) { return driver::refuseTarget(word); });
  app.add_option("--device-lib", arguments->request.deviceFolder, "the folder of libaxrun.a, if it is not beside axc")
      ->type_name("DIR");
  addSetOption(app, arguments->compile);
  app.add_flag("--strip", arguments->compile.strip,
               "leave out the debug section, which only reports need: names and places of nodes, texts of guards");
  app.add_option_function<std::string>(
         "--chunk",
         [arguments](const std::string& word) {
           arguments->measuresChunk = word == automatic;
           arguments->compile.chunk = arguments->measuresChunk ? 0 : std::stoull(word);
         },
         "frames in a push of `axrun stream`, unless it is told another number; auto: from measured pushes")
      ->type_name("auto|N")
      ->check(
          [](const std::string& word) { return isChunk(word) ? "" : "takes auto, or a number of frames from 1 on"; });
  app.add_flag("--stream-report", arguments->tellsChunks,
               "measure pushes of 1 to 4096 frames: latency, work and memory of each");
  addThreadsOption(app, arguments->compile);
  addNarrowingOption(app, arguments->compile);
  addLevelOption(app, arguments->compile);
  return [arguments] { return buildCommand(*arguments); };
}

Action addRun(CLI::App& app) {
  auto arguments = std::make_shared<RunArguments>();
  addSourceOptions(app, arguments->compile, "a source file (.ax), a TensorFlow graph, or a bundle (.axb)");
  addOptions(app, run::runOptions(arguments->run));
  app.add_option("--dump-all", arguments->run.dumpFolder, "write inputs and all that is computed to DIR, an npy each")
      ->type_name("DIR")
      ->check([](const std::string& word) { return word.empty() ? "takes a folder" : ""; });
  addGraphChoice(app, arguments->choice);
  addNarrowingOption(app, arguments->compile);
  addLevelOption(app, arguments->compile);
  return [arguments] { return runCommand(*arguments); };
}

Action addDump(CLI::App& app) {
  auto arguments = std::make_shared<DumpArguments>();
  addSourceOptions(app, arguments->compile, "a source file (.ax), or a TensorFlow graph");
  addGraphOptions(app, arguments->choice);
  addSetOption(app, arguments->compile);
  std::vector<std::string> passes;
  for (const ir::Pass& pass : ir::passTable()) passes.emplace_back(pass.name);
  CLI::Option* const only = app.add_option("--pass", arguments->pass, "the only pass to run")
                                ->type_name("PASS")
                                ->check(CLI::IsMember(passes));
  passes.insert(passes.begin(), onlyLowered);
  app.add_option("--after,--stop-after", arguments->after, "the last pass to run; `lower` for none (all)")
      ->type_name("PASS")
      ->check(CLI::IsMember(passes))
      ->excludes(only);
  app.add_option_function<std::string>(
         "--format", [arguments](const std::string& format) { arguments->dot = format == "dot"; },
         "text (the default) or dot")
      ->type_name("text|dot")
      ->check(CLI::IsMember({"text", "dot"}).description(""));
  app.add_flag("--bisect", arguments->bisects, "print the first patch of these passes that changes a result");
  for (run::Option& option : run::runOptions(arguments->run)) {
    if (option.names.starts_with("-i")) option.names = "-i";  // --input is a tensor of the graph
    for (const std::string name : {"-i", "--seed", "--rtol", "--atol"})
      if (option.names == name) addOptions(app, {option});
  }
  return [arguments] { return dumpCommand(*arguments); };
}

}  // namespace axle::axc
