// An imported TensorFlow graph to inspect: its nodes have types and reasons, as names of the session have.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/graph.h"
#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/node_list.h"

namespace axle::repl {

class InspectedGraph {
 public:
  // A graph with errors has what is known despite them; null where there is no model. `printsErrors`: on stderr.
  static std::unique_ptr<InspectedGraph> open(const std::string& path, const tensorflow::Choice& choice,
                                              bool printsErrors);

  void printSummary() const;
  // Prints the nodes whose names or operators match, `*` for any letters; false where none does.
  bool printNodes(const std::string& pattern) const;
  // Prints the types of `NODE` or `NODE:PORT`; false where there is no such node.
  bool printTypes(const std::string& outlet) const;
  bool hasNode(const std::string& outlet) const { return find(outlet) != nullptr; }
  // Prints where the sizes of an outlet come from; its node must exist. False where it has no such axis.
  bool printWhy(const std::string& outlet, std::optional<std::int64_t> axis);
  std::vector<std::string> nodeNames() const;

 private:
  const tensorflow::ListedNode* find(const std::string& outlet) const;
  const tensorflow::FactLine* lineOf(const std::string& path, std::uint32_t port) const;
  void printMade(const tensorflow::ListedNode& made) const;

  driver::ReadGraph graph_;
  std::optional<tensorflow::Analysis> analysis_;
  std::vector<tensorflow::ListedNode> nodes_;  // with those of functions
  std::vector<tensorflow::FactLine> lines_;    // likewise
};

}  // namespace axle::repl
