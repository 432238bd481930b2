// Files of TensorFlow to a Model: the one way in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/diagnostic.h"
#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

// What the command line chooses. Empty lists and strings leave the choice to the file.
struct Choice {
  struct Input {
    std::string name;   // a signature's key, or `NODE:PORT`
    std::string shape;  // as written behind `=`; not read here
  };
  std::vector<std::string> tags;
  std::string signature;
  std::vector<Input> inputs;         // besides the signature's or the placeholders
  std::vector<std::string> outputs;  // instead of the signature's
};

// The model, resolved as far as its outputs need it. Without a signature, and with none chosen, inputs are the
// placeholders that are reached, and outputs are the nodes that nothing takes from. None, with errors in `diagnostics`,
// where that part of the graph is broken. `sources` gets a graph's text when its syntax is wrong.
std::optional<Model> readModel(const std::string& path, const Choice& choice, SourceMap& sources,
                               Diagnostics& diagnostics);

// The keys among which `choice` would have to choose; none where it is clear which signature is meant, or where the
// file cannot be read.
std::vector<std::string> openSignatures(const std::string& path, const Choice& choice);

}  // namespace axle::tensorflow
