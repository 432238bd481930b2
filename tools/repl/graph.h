// An imported TensorFlow graph to inspect: its nodes have types and derivations like names of the session.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/graph.h"
#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/node_list.h"

namespace axle::repl {

class Session;
// Whether the text can only be meant as a node of the imported graph, which has no such node.
bool namesUnknownNode(const Session& session, std::string_view text);

class InspectedGraph {
 public:
  // Opens a graph; one with errors has all that is known despite them. Returns null if there is no model.
  // `printsErrors`: prints errors on stderr.
  static std::unique_ptr<InspectedGraph> open(const std::string& path, const tensorflow::Choice& choice,
                                              bool printsErrors);

  void printSummary() const;
  // Prints the nodes whose names or operators match, `*` for any letters. Returns false if none does.
  bool printNodes(const std::string& pattern) const;
  // Prints the types of `NODE` or `NODE:PORT`. Returns false if there is no such node.
  bool printTypes(const std::string& outlet) const;
  bool hasNode(const std::string& outlet) const { return find(outlet) != nullptr; }
  // Prints that there is no such node, and the nearest one. Returns false.
  bool printUnknown(const std::string& outlet) const;
  // Prints where the sizes of an outlet come from; its node must exist. Returns false if it has no such axis.
  bool printWhy(const std::string& outlet, std::optional<std::int64_t> axis);
  std::vector<std::string> nodeNames() const;

 private:
  const tensorflow::ListedNode* find(const std::string& outlet) const;
  const tensorflow::FactLine* lineOf(const std::string& path, std::uint32_t port) const;
  void printMade(const tensorflow::ListedNode& made) const;

  driver::ReadGraph graph_;
  std::optional<tensorflow::Analysis> analysis_;
  std::vector<tensorflow::ListedNode> nodes_;  // including nodes in functions
  std::vector<tensorflow::FactLine> lines_;    // of the same nodes
};

}  // namespace axle::repl
