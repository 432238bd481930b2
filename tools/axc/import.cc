// axc import: reads TensorFlow graphs, reports their facts and writes them as source.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "driver/foreign_file.h"
#include "driver/import_graph.h"
#include "driver/run/options.h"
#include "driver/stream_report.h"
#include "import/tensorflow/dump.h"
#include "tools/axc/command_line.h"
#include "tools/axc/commands.h"
#include "tools/axc/options.h"
#include "tools/axc/terminal.h"

namespace axle::axc {

namespace {

struct ImportArguments {
  std::string path;
  tensorflow::Choice choice;
  std::vector<std::string> hints;  // NAME=FACT
  std::string emit;                // `ax`
  std::string output;              // the source to write
  Narrowing narrowing = Narrowing::warned;
  bool facts = false;
  bool all = false;  // facts of functions, too
  bool json = false;
  bool stream = false;
};

void printSummaryOrFacts(driver::ImportedGraph& imported, const ImportArguments& arguments) {
  if (!imported.analysis) return;
  if (!arguments.facts) {
    if (arguments.emit.empty()) std::fputs(tensorflow::summary(*imported.graph.model).c_str(), stdout);
    return;
  }
  if (!imported.signature.empty()) std::printf("signature %s\n", imported.signature.c_str());
  std::fputs(driver::factsText(imported, arguments.all).c_str(), stdout);
}

// Writes the source of a graph without errors. Reports errors of the writing.
void emit(driver::ImportedGraph& imported, const ImportArguments& arguments, driver::ImportReport& report) {
  driver::ReadGraph& graph = imported.graph;
  if (graph.exitCode != exitDone || !imported.analysis) return;
  const std::size_t before = graph.diagnostics.size();
  auto files = driver::emitGraph(graph, *imported.analysis, arguments.choice, arguments.output);
  for (std::size_t i = before; i < graph.diagnostics.size(); ++i)
    if (arguments.json)
      report.addDiagnostic(graph.diagnostics[i], graph.sources);
    else
      printDiagnostics(stderr, {graph.diagnostics[i]}, graph.sources);
  if (!files) return;
  report.addEmitted(*files);
  if (arguments.json) return;
  std::printf("%s: main : %s\n", files->file.c_str(), files->type.c_str());
  if (!files->weights.empty()) std::printf("%s: its weights\n", files->weights.c_str());
}

// Says what is wrong with `--emit`, `-o` and `--all`; returns an empty text if nothing is.
std::string wrongOptions(const ImportArguments& arguments) {
  if (arguments.all && !arguments.facts && !arguments.json) return "--all is for --facts or --format=json";
  if (!arguments.emit.empty()) return driver::wrongTarget(arguments.output);
  return arguments.output.empty() ? "" : "-o is for --emit ax: there is nothing else to write";
}

int usageError(const std::string& what) {
  std::fprintf(stderr, "error: %s\n", what.c_str());
  return exitUsage;
}

// Carries out `import --stream`.
int importStream(const ImportArguments& arguments) {
  if (!arguments.hints.empty() || !arguments.emit.empty() || arguments.facts)
    return usageError("--stream stands alone: no --hint, --facts or --emit");
  driver::CompileOptions options;
  options.path = arguments.path;
  options.graph = driver::GraphRequest{arguments.choice, {}, nullptr};
  options.narrowing = arguments.narrowing;
  return printStream(driver::StreamCheck(options), arguments.json);
}

int importCommand(ImportArguments& arguments) {
  if (const auto foreign = driver::refuseForeignFile(arguments.path)) {
    if (arguments.json) {
      driver::ImportReport report;
      report.addFailure(*foreign, arguments.path);
      std::fputs(report.json().c_str(), stdout);
    }
    return run::report(*foreign, stderr);
  }
  if (arguments.stream) return importStream(arguments);
  const bool isEmitted = !arguments.emit.empty();
  auto hints = driver::readHints(arguments.hints);
  if (!hints) return usageError(hints.error());
  if (std::string why = wrongOptions(arguments); !why.empty()) return usageError(why);
  if (isEmitted && arguments.narrowing == Narrowing::warned) arguments.narrowing = Narrowing::refused;
  driver::ImportReport report;
  int exitCode = exitDone;
  auto show = [&](driver::ImportedGraph& imported) {
    driver::analyseGraph(imported, *hints, isEmitted, arguments.narrowing);
    if (arguments.json) {
      report.add(imported, arguments.all);
    } else {
      printDiagnostics(stderr, report.takeNew(imported.graph), imported.graph.sources);
      printSummaryOrFacts(imported, arguments);
    }
    if (isEmitted) emit(imported, arguments, report);
    if (!arguments.json) std::fputs(driver::guardsText(imported).c_str(), stderr);
    exitCode = std::max(exitCode, imported.graph.exitCode);
  };
  driver::ImportedGraph whole{driver::readGraph(arguments.path, arguments.choice), std::nullopt, {}};
  const std::vector<std::string> signatures =
      driver::openSignatures(arguments.path, arguments.choice, whole.graph, !arguments.hints.empty());
  if (isEmitted && !signatures.empty())
    return usageError("the graph has " + std::to_string(signatures.size()) +
                      " signatures, a source file is of one: --signature " + signatures.front());
  if (signatures.empty()) show(whole);
  for (const std::string& signature : signatures) {
    tensorflow::Choice choice = arguments.choice;
    choice.signature = signature;
    driver::ImportedGraph imported{driver::readGraph(arguments.path, choice), std::nullopt, signature};
    show(imported);
  }
  if (arguments.json) std::fputs(report.json().c_str(), stdout);
  return exitCode;
}

}  // namespace

Action addImport(CLI::App& app) {
  auto arguments = std::make_shared<ImportArguments>();
  app.add_option("GRAPH", arguments->path, "a GraphDef (.pb, .pbtxt), a SavedModel's folder, or a checkpoint's prefix")
      ->required()
      ->type_name("");
  addGraphOptions(app, arguments->choice);
  app.add_option("--hint", arguments->hints,
                 "what is known of a tensor: `conv/Relu=f32 [n, 28, 28, 8]`; may be given again")
      ->type_name("NAME=FACT")
      ->allow_extra_args(false);
  app.add_flag("--facts", arguments->facts, "print a line for each outlet: NODE:PORT ELEM SHAPE [= VALUE]");
  app.add_flag("--all", arguments->all, "with --facts or JSON: of the nodes in functions, too, under their paths");
  app.add_flag("--stream", arguments->stream,
               "say how the graph works on the inputs that --input streams: rate and delay of each result, or every "
               "node that cannot");
  app.add_option("--emit", arguments->emit, "write the graph as source: ax, with its weights beside it")
      ->type_name("ax")
      ->check(CLI::IsMember({"ax"}));
  app.add_option("-o", arguments->output, "the source to write")->type_name("FILE.ax");
  app.add_flag_callback(
      "--allow-narrowing", [&narrowing = arguments->narrowing] { narrowing = Narrowing::allowed; },
      "accept that the graph makes a size which --input names a number or another name");
  addOptions(app, {run::formatOption(arguments->json)});
  return [arguments] { return importCommand(*arguments); };
}

}  // namespace axle::axc
