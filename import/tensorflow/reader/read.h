// Reads files of TensorFlow into a Model. This is the only header of the reader that other code includes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/diagnostic.h"
#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

// The choices of the command line. If a list or a string is empty, the file decides.
struct Choice {
  struct Input {
    std::string name;   // a signature's key, or `NODE:PORT`
    std::string shape;  // as written after `=`; the analysis parses it
  };
  std::vector<std::string> tags;
  std::string signature;
  std::vector<Input> inputs;         // besides the signature's or the placeholders
  std::vector<std::string> outputs;  // instead of the signature's
};

// Reads the nodes that the model's outputs depend on. Without a signature, its inputs are the placeholders among them,
// and its outputs the nodes whose outputs no other node takes. None after errors in that part of the graph, which are
// added to `diagnostics`. The text of a graph with a syntax error is added to `sources`.
std::optional<Model> readModel(const std::string& path, const Choice& choice, SourceMap& sources,
                               Diagnostics& diagnostics);

// Returns the keys of the signatures between which `choice` must decide; empty if the signature to use is clear, or if
// the file cannot be read.
std::vector<std::string> openSignatures(const std::string& path, const Choice& choice);

}  // namespace axle::tensorflow
