// axc import: TensorFlow graphs.
#include "tools/axc/import.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "ir/import/tensorflow/codes.h"
#include "ir/import/tensorflow/dump.h"
#include "tools/axc/commands.h"
#include "tools/axc/compile.h"

namespace axle::axc {

namespace {

bool exists(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

// A choice that the file does not have is the command line's fault.
bool isUsage(const Diagnostic& d, const tensorflow::Choice& choice) {
  if (d.code == &codes::graphChoice) return !choice.tags.empty() || !choice.signature.empty();
  return d.code == &codes::noSuchTensor && (!choice.inputs.empty() || !choice.outputs.empty());
}

int importCommand(const GraphArguments& arguments, std::string (*show)(const tensorflow::Model&)) {
  ReadGraph graph = readGraph(arguments);
  for (const Diagnostic& d : graph.diagnostics) std::fputs(render(d, graph.sources).c_str(), stderr);
  if (graph.model) std::fputs(show(*graph.model).c_str(), stdout);
  return graph.exitCode;
}

}  // namespace

bool isGraph(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) return true;
  for (std::string_view ending : {".pb", ".pbtxt", ".pb.txt", ".meta", ".index"})
    if (path.ends_with(ending)) return true;
  return exists(path + ".meta") || exists(path + ".index");
}

void addGraphOptions(CLI::App& app, GraphArguments& arguments) {
  app.add_option("--tag", arguments.choice.tags, "a tag of the SavedModel's graph (`serve`); may be given again")
      ->type_name("T")
      ->allow_extra_args(false);
  app.add_option("--signature", arguments.choice.signature, "a signature of the graph (`serving_default`)")
      ->type_name("S");
  app.add_option_function<std::vector<std::string>>(
         "--input",
         [&arguments](const std::vector<std::string>& values) {
           for (const std::string& value : values) {
             const std::size_t equals = value.find('=');
             arguments.choice.inputs.push_back(
                 {value.substr(0, equals), equals == value.npos ? std::string() : value.substr(equals + 1)});
           }
         },
         "a tensor that is given from outside, perhaps with its shape; may be given again")
      ->type_name("NAME[=SHAPE]")
      ->allow_extra_args(false);
  app.add_option("--output", arguments.choice.outputs, "a tensor that is asked for; may be given again")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

ReadGraph readGraph(const GraphArguments& arguments) {
  ReadGraph graph;
  graph.model = tensorflow::readModel(arguments.path, arguments.choice, graph.sources, graph.diagnostics);
  const bool there = exists(arguments.path) || exists(arguments.path + ".meta") || exists(arguments.path + ".index");
  for (const Diagnostic& d : graph.diagnostics)
    if (d.code->severity == Severity::error && graph.exitCode == exitDone)
      graph.exitCode = !there || isUsage(d, arguments.choice) ? exitUsage : exitErrors;
  return graph;
}

int dumpGraph(const GraphArguments& arguments) { return importCommand(arguments, tensorflow::dump); }

Action addImport(CLI::App& app) {
  auto arguments = std::make_shared<GraphArguments>();
  app.add_option("GRAPH", arguments->path, "a GraphDef (.pb, .pbtxt), a SavedModel's folder, or a checkpoint's prefix")
      ->required()
      ->type_name("");
  addGraphOptions(app, *arguments);
  return [arguments] { return importCommand(*arguments, tensorflow::summary); };
}

}  // namespace axle::axc
