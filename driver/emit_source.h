// Writes a graph as source text, with its weights in a file beside it: `axc import --emit ax`.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/graph.h"

namespace axle::tensorflow {
class Analysis;
}

namespace axle::driver {

struct EmittedFiles {
  std::string file;
  std::string weights;                                             // empty: the graph has no constants
  std::string type;                                                // of the entry
  using Names = std::vector<std::pair<std::string, std::string>>;  // a tensor, its name in the source
  Names inputs, outputs;
};

// Returns why `file` cannot be the written source; empty if it can.
std::string wrongTarget(const std::string& file);

// Writes `file` and the weights beside it, both or neither. None if that fails: `graph` then has the diagnostics and
// the exit code.
std::optional<EmittedFiles> emitGraph(ReadGraph& graph, tensorflow::Analysis& analysis,
                                      const tensorflow::Choice& choice, const std::string& file);

}  // namespace axle::driver
