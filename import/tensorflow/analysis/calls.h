// Calls of functions: each call is followed in a frame of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;
struct StructuralNode;
struct StructuralOperator;

// A call of a function that says which composite it implements.
struct CompositeCall {
  Site site;
  FunctionId function;
  OutletFacts inputs, outputs;
};

struct Calls {
  std::vector<CompositeCall> composites;
  bool areLimited = false;  // some calls are not followed, which has been reported
};

Frame& openFrame(Analysis& analysis, const Graph& graph, const GraphPlaces& places, std::string prefix);

// The listing of a function's body.
const GraphPlaces& placesOf(Analysis& analysis, FunctionId id);

// What a function gives for these arguments, called by a node of `frame` with `attributes`. None, with an error or a
// warning, where the arguments do not fit or the call is too deep.
std::optional<OutletFacts> followCall(Analysis& analysis, Frame& frame, NodeId id, FunctionId callee,
                                      const std::vector<Attribute>& attributes, OutletFacts arguments);

// Follows the call of a node whose inputs are the arguments.
Outcome callFunction(StructuralNode& n, FunctionId callee, const std::vector<Attribute>& attributes);

std::span<const StructuralOperator> callOperators();

// The name by which messages mention a function: with the attribute that has it where a node may name several.
std::string functionLabel(const Node& node, FunctionId callee, const Function& function);

// Whether values of the run decide which nodes of the graph run, apart from those of functions that it calls.
bool choosesNodes(const Graph& graph);

// The composite that a function says it implements; empty for none.
std::string compositeOf(const Function& function);

}  // namespace axle::tensorflow
