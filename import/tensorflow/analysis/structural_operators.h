// Operators that no composition of core operators stands for: inputs, constants, variables, calls, control flow, lists.
// Each phase has a table of its own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// A node of such an operator, and the facts that it gives.
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

// Null where there is none of that name.
const StructuralOperator* structuralOperator(std::string_view op);

}  // namespace axle::tensorflow
