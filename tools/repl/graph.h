// An imported TensorFlow graph, to look around in: its nodes have types and reasons as names of the session have.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/graph.h"
#include "import/tensorflow/analysis/analysis.h"

namespace axle::repl {

class LookedAt {
 public:
  // With errors there is what is known all the same. None where there is no model. `tells` what is wrong.
  static std::unique_ptr<LookedAt> open(const std::string& path, const tensorflow::Choice& choice, bool tells);

  void printSummary() const;
  // Each outlet of the nodes whose names match, `*` for any letters; false where none does.
  bool printNodes(const std::string& pattern) const;
  // `NODE` or `NODE:PORT`; false where there is none of that name.
  bool printTypes(const std::string& outlet) const;
  bool hasNode(const std::string& outlet) const { return find(outlet) != nullptr; }
  // Where its sizes come from; there must be such a node. False where it has no such axis.
  bool printWhy(const std::string& outlet, std::optional<std::int64_t> axis);
  std::vector<std::string> nodeNames() const;

 private:
  const tensorflow::Node* find(const std::string& outlet) const;
  const tensorflow::FactLine* lineOf(const std::string& node, std::uint32_t port) const;
  void printMade(const tensorflow::Node& node) const;

  driver::ReadGraph graph_;
  std::optional<tensorflow::Analysis> analysis_;
  std::vector<tensorflow::FactLine> lines_;
};

}  // namespace axle::repl
