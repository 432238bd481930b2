// A graph as source text with its weights beside it: `axc import --emit ax`.
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

// Why `file` cannot be the source that is written; empty where it can.
std::string wrongTarget(const std::string& file);

// Writes `file` and the weights beside it, both or none. None where that fails: `graph` then has the diagnostics and
// the exit code.
std::optional<EmittedFiles> emitGraph(ReadGraph& graph, tensorflow::Analysis& analysis,
                                      const tensorflow::Choice& choice, const std::string& file);

}  // namespace axle::driver
