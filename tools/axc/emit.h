// axc import --emit ax: a graph as source.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/tensorflow/analysis/analysis.h"
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

// Text that the graph decodes as a WAV file is samples in source. A graph does not say how many there are in a second,
// which it may compute with: they are taken to be those of speech.
std::vector<tensorflow::Hint> soundHints(const tensorflow::Model& model);

// Writes `file` and the weights beside it, both or none. None where it cannot be done: diagnostics and the exit code
// are the graph's then.
std::optional<EmittedFiles> emitGraph(ReadGraph& graph, tensorflow::Analysis& analysis,
                                      const tensorflow::Choice& choice, const std::string& file);

}  // namespace axle::axc
