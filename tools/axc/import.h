// TensorFlow graphs on the command line.
#pragma once

#include <optional>
#include <string>

#include "frontend/diagnostic.h"
#include "import/tensorflow/analysis/hints.h"
#include "import/tensorflow/reader/read.h"
#include "driver/run/options.h"

namespace CLI {
class App;
}

namespace axle::axc {

struct GraphArguments {
  std::string path;
  tensorflow::Choice choice;
};

class Recorded;

// What a command wants of a graph to compile it: choices and, for a run, the files of its inputs.
struct GraphRequest {
  tensorflow::Choice choice;
  std::vector<std::pair<std::string, std::string>> files;  // of inputs that are given, by name
  const Recorded* recorded = nullptr;                      // has the other inputs, perhaps
};

// The tensors that a run gives and asks for are inputs and outputs of the graph, whatever else it has.
GraphRequest requestOf(const GraphArguments& arguments, const run::RunOptions& options);
// Names as the model's ports have them: of a signature the keys.
void namePorts(const tensorflow::Model& model, run::RunOptions& options);
// What the files of the inputs say of a model: shapes, small values that sizes may follow from, that text is a WAV
// file. What contradicts the model says nothing: it is refused by the run.
std::vector<tensorflow::Hint> hintsOf(const tensorflow::Model& model, const GraphRequest& request);

// `x` as an outlet is written: `x:0`.
std::string outletName(const std::string& tensor);

struct ReadGraph {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<tensorflow::Model> model;
  int exitCode = 0;
};

// By the path's ending or what is there: a folder, `.pb`, `.pbtxt`, a checkpoint.
bool isGraph(const std::string& path);

// --tag and --signature. `arguments` must live as long as `app`.
void addGraphChoice(CLI::App& app, GraphArguments& arguments);
// --tag, --signature, --input and --output. `arguments` must live as long as `app`.
void addGraphOptions(CLI::App& app, GraphArguments& arguments);

// Whether a file or a choice that the command line names is not there.
bool isUsage(const Diagnostic& d, const std::string& path, const tensorflow::Choice& choice);

ReadGraph readGraph(const GraphArguments& arguments);

// axc dump GRAPH
int dumpGraph(const GraphArguments& arguments);

}  // namespace axle::axc
