// Operators that are not compositions of core operators: inputs, constants, variables, calls, control flow, lists. Each
// phase has its own table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// A node of such an operator, and the facts that its rule computes.
struct StructuralNode : RuleNode {
  StructuralNode(Analysis& analysis, Frame& frame, NodeId id);

  Analysis& analysis;
  Frame& frame;
  NodeId id;
  std::string name;  // with the frame's prefix
  OutletFacts facts;

  std::vector<Type> outletTypes() const;
  Site site() const { return {&frame, id}; }
};

struct StructuralOperator {
  std::string_view op;
  Outcome (*apply)(StructuralNode&);
};

// Returns the operator; null if there is none of that name.
const StructuralOperator* structuralOperator(std::string_view op);

}  // namespace axle::tensorflow
