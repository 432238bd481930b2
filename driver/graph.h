// A TensorFlow graph that a command names: how it is recognised, read, and given inputs and outputs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/diagnostic.h"
#include "import/tensorflow/reader/read.h"

namespace axle::run {
struct RunOptions;
}

namespace axle::driver {

class Recorded;

// What is asked of a graph: its inputs and outputs and, for a run, the files of the inputs.
struct GraphRequest {
  tensorflow::Choice choice;
  std::vector<std::pair<std::string, std::string>> files;  // of the inputs that are given, by name
  const Recorded* recorded = nullptr;                      // may hold the other inputs; none: not looked there
};

struct ReadGraph {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<tensorflow::Model> model;
  int exitCode = 0;
};

// Whether a path names a graph: by its ending, or by what is there (a folder, a checkpoint).
bool isGraph(const std::string& path);

ReadGraph readGraph(const std::string& path, const tensorflow::Choice& choice);

// Whether an error is one of the command line: the file does not exist, or lacks what `choice` names.
bool isUsageError(const Diagnostic& d, const std::string& path, const tensorflow::Choice& choice);

// What a run asks of a graph: the tensors that it gives and wants are the graph's inputs and outputs.
GraphRequest requestFor(tensorflow::Choice choice, const run::RunOptions& options);
// Renames the inputs and outputs of a run to the model's ports: a tensor of the chosen signature becomes its key.
void usePortNames(const tensorflow::Model& model, run::RunOptions& options);
// The port of the model that `name` means: itself, or the key of a tensor of the chosen signature.
std::string portNamed(const tensorflow::Model& model, const std::string& name, bool isInput);

// `x` and `x:0` are one tensor.
std::string withoutPortZero(const std::string& name);
std::string withPortZero(const std::string& tensor);

}  // namespace axle::driver
