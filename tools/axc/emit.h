// axc import --emit ax: a graph as source.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/import/tensorflow/analysis/analysis.h"
#include "tools/axc/import.h"

namespace axle::axc {

struct EmittedFiles {
  std::string file, weights;                                       // no weights where the graph has no constants
  std::string type;                                                // of the entry
  using Names = std::vector<std::pair<std::string, std::string>>;  // of a tensor, its name in the source
  Names inputs, outputs;
};

// Why `file` cannot be what is written to; empty where it can.
std::string refusedTarget(const std::string& file);

// Writes `file` and the weights beside it, both or none. None where it cannot be done: diagnostics and the exit code
// are the graph's then.
std::optional<EmittedFiles> emitGraph(ReadGraph& graph, tensorflow::Analysis& analysis,
                                      const tensorflow::Choice& choice, const std::string& file);

}  // namespace axle::axc
