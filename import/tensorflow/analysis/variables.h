// Variables: the values that reads return at each node, and the assignments.
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
  std::map<VariableId, TypedId> assigned;  // at the current point of the visit, if that is another value
  std::map<Site, TypedId> reads;           // the value that each node has read
};

// Returns the value at the current point of the visit: the last assigned one, or the checkpoint's.
TypedId variableValue(Analysis& analysis, VariableId id, Span at);
// Returns the fact of that value.
OutletFact variableFact(Analysis& analysis, VariableId id, Span at);
// Makes the value unknown from here on.
void forgetVariable(Analysis& analysis, VariableId id, const std::string& name, Span at);
// The same for variables that a node without a rule may assign.
void forgetVariablesAssignedBy(Analysis& analysis, Frame& frame, NodeId id);

// Returns the variables among the arguments of a function that the run may assign.
std::vector<VariableId> assignableVariables(const Model& model, const OutletFacts& arguments);

std::span<const StructuralOperator> variableOperators();

}  // namespace axle::tensorflow
