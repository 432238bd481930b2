// Reads files of TensorFlow into a Model. Other code uses the reader through this header only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/diagnostic.h"
#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

// What the command line chooses. Where a list or a string is empty, the file decides.
struct Choice {
  struct Input {
    std::string name;   // a signature's key, or `NODE:PORT`
    std::string shape;  // as written behind `=`; the analysis reads it
  };
  std::vector<std::string> tags;
  std::string signature;
  std::vector<Input> inputs;         // besides the signature's or the placeholders
  std::vector<std::string> outputs;  // instead of the signature's
};

// The nodes that the model's outputs need. Without a signature its inputs are the placeholders among them, and its
// outputs the nodes that no other takes from. None after errors in that part of the graph, which are added to
// `diagnostics`. The text of a graph with a syntax error is added to `sources`.
std::optional<Model> readModel(const std::string& path, const Choice& choice, SourceMap& sources,
                               Diagnostics& diagnostics);

// The keys of the signatures between which `choice` must decide; none where it is clear which one is meant, or where
// the file cannot be read.
std::vector<std::string> openSignatures(const std::string& path, const Choice& choice);

}  // namespace axle::tensorflow
