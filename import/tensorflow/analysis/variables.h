// Variables: what reading them gives where a node runs, and what nodes assign.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;
struct StructuralOperator;

struct VariableValues {
  std::map<VariableId, TypedId> initial;   // before the graph runs
  std::map<VariableId, TypedId> assigned;  // where the visit is now, if that is another value
  std::map<Site, TypedId> reads;           // what nodes have read
};

// The value where the visit is now: what was assigned last, or what the checkpoint has.
TypedId variableValue(Analysis& analysis, VariableId id, Span at);
// The fact of that value.
OutletFact variableFact(Analysis& analysis, VariableId id, Span at);
// From here on its value is unknown.
void forgetVariable(Analysis& analysis, VariableId id, const std::string& name, Span at);
// The same for what a node without a rule may assign.
void forgetVariablesAssignedBy(Analysis& analysis, Frame& frame, NodeId id);

// The variables among the arguments of a function that the run may assign.
std::vector<VariableId> assignableVariables(const Model& model, const OutletFacts& arguments);

std::span<const StructuralOperator> variableOperators();

}  // namespace axle::tensorflow
