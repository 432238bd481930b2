// Calls of functions: each call is followed in its own frame.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;
struct StructuralNode;
struct StructuralOperator;

// A call of a function that names the composite that it implements.
struct CompositeCall {
  Site site;
  FunctionId function;
  OutletFacts inputs, outputs;
};

struct Calls {
  std::vector<CompositeCall> composites;
  bool areLimited = false;  // some calls are not followed; this has been reported
};

Frame& openFrame(Analysis& analysis, const Graph& graph, const GraphPlaces& places, std::string prefix);

// Returns the listing of a function's body.
const GraphPlaces& placesOf(Analysis& analysis, FunctionId id);

// Returns a function's results for these arguments, when a node of `frame` calls it with `attributes`. None, with an
// error or a warning, if the arguments do not fit or the call is too deep.
std::optional<OutletFacts> followCall(Analysis& analysis, Frame& frame, NodeId id, FunctionId callee,
                                      const std::vector<Attribute>& attributes, OutletFacts arguments);

// Follows the call of a node whose inputs are the arguments.
Outcome callFunction(StructuralNode& n, FunctionId callee, const std::vector<Attribute>& attributes);

std::span<const StructuralOperator> callOperators();

// Returns the name of a function in messages, with its attribute if a node may name several functions.
std::string functionLabel(const Node& node, FunctionId callee, const Function& function);

// Whether values of the run decide which nodes of the graph run. Does not look into functions that it calls.
bool choosesNodes(const Graph& graph);

// Returns the composite that a function implements, as it declares; empty for none.
std::string compositeOf(const Function& function);

}  // namespace axle::tensorflow
