// A TensorFlow graph that a command names: recognises and reads it, and chooses its inputs and outputs.
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

// The request for a graph: its inputs and outputs and, for a run, the files of the inputs.
struct GraphRequest {
  tensorflow::Choice choice;
  std::vector<std::pair<std::string, std::string>> files;  // of the given inputs, by name
  const Recorded* recorded = nullptr;                      // may contain the other inputs; null: there is no recording
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

// Whether an error is a mistake on the command line: the file does not exist, or lacks what `choice` names.
bool isUsageError(const Diagnostic& d, const std::string& path, const tensorflow::Choice& choice);

// Returns the request of a run: the tensors that it gives and wants are the graph's inputs and outputs.
GraphRequest requestFor(tensorflow::Choice choice, const run::RunOptions& options);
// Renames the inputs and outputs of a run to the model's ports: a tensor of the chosen signature becomes its key.
void usePortNames(const tensorflow::Model& model, run::RunOptions& options);
// Returns the port of the model that `name` means: that name itself, or the key of a tensor of the chosen signature.
std::string portNamed(const tensorflow::Model& model, const std::string& name, bool isInput);

// Adds `:0` to a tensor's name without a port.
std::string withPortZero(const std::string& tensor);

}  // namespace axle::driver
