// Frames: the main graph, and the functions that it calls, one frame for each call.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "import/tensorflow/analysis/listing.h"
#include "import/tensorflow/graph.h"
#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow {

using OutletFacts = std::vector<OutletFact>;

// The main graph, a function's body followed for one call, or a graph whose loop is followed for one iteration.
struct Frame {
  const Graph* graph = nullptr;
  const GraphPlaces* places = nullptr;
  std::string prefix;               // of its nodes' names: `call/` in a function
  std::vector<OutletFacts> facts;   // by node and port; empty before the node is visited
  std::vector<Attribute> fromCall;  // the attributes with which the call instantiates the function
  OutletFacts arguments;            // of the function
  std::size_t depth = 0;            // of nested calls
  Frame* caller = nullptr;          // null for the main graph
  NodeId call;                      // the calling node in `caller`
  bool runsAlways = false;          // every node runs, whatever the values of the inputs
  std::vector<bool> isCopied;       // by node, in a frame of one iteration: the facts are those of the loop's frame
  struct BackEdge {
    OutletFact start, state;
  };
  std::map<NodeId, std::vector<BackEdge>> backEdges;  // by NextIteration: the states that it feeds

  const Node& operator[](NodeId id) const { return (*graph)[id]; }
  const NodePlaces& at(NodeId id) const { return (*places)[id]; }
  bool isCopiedAt(std::uint32_t node) const { return !isCopied.empty() && isCopied[node]; }
  // Returns an empty fact if the outlet has none: a loop's back edge, before its node is visited.
  const OutletFact& factOf(Outlet outlet) const;
  // Returns a node's name in the program and in messages.
  std::string nameOf(NodeId id) const { return prefix + (*graph)[id].name; }
};

// A node of a frame.
struct Site {
  Frame* frame = nullptr;
  NodeId node;
  friend auto operator<=>(const Site&, const Site&) = default;
};

// Whether a node's operator is `name` or its variant for references: `Exit` or `RefExit`.
bool isNode(const Node& node, std::string_view name);

// `NODE`, or `NODE:PORT` for a port other than the first, without the frame's prefix.
std::string outletLabel(const Frame& frame, Outlet outlet);

// Returns the types of a node's outlets, as its operator or the function that it calls declares them.
std::vector<Type> outletTypes(const Model& model, const Frame& frame, const Node& node);

// Returns the view of a node that rules get.
RuleNode ruleNode(GraphTyper& typer, Frame& frame, NodeId id);

}  // namespace axle::tensorflow
