// TensorFlow graphs on the command line.
#pragma once

#include <optional>
#include <string>

#include "frontend/diagnostic.h"
#include "ir/import/tensorflow/read.h"

namespace CLI {
class App;
}

namespace axle::axc {

struct GraphArguments {
  std::string path;
  tensorflow::Choice choice;
};

struct ReadGraph {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<tensorflow::Model> model;
  int exitCode = 0;
};

// By the path's ending or what is there: a folder, `.pb`, `.pbtxt`, a checkpoint.
bool isGraph(const std::string& path);

// --tag, --signature, --input and --output. `arguments` must live as long as `app`.
void addGraphOptions(CLI::App& app, GraphArguments& arguments);

ReadGraph readGraph(const GraphArguments& arguments);

// axc dump GRAPH
int dumpGraph(const GraphArguments& arguments);

}  // namespace axle::axc
