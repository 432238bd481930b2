#include "import/tensorflow/analysis/structural_operators.h"

#include <unordered_map>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/dataflow_control.h"
#include "import/tensorflow/analysis/input_nodes.h"
#include "import/tensorflow/analysis/tensor_arrays.h"
#include "import/tensorflow/analysis/tensor_lists.h"

namespace axle::tensorflow {

StructuralNode::StructuralNode(Analysis& analysis, Frame& frame, NodeId id)
    : RuleNode(ruleNode(analysis.typer, frame, id)), analysis(analysis), frame(frame), id(id), name(frame.nameOf(id)) {}

std::vector<Type> StructuralNode::outletTypes() const { return tensorflow::outletTypes(analysis.model, frame, node); }

const StructuralOperator* structuralOperator(std::string_view op) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const StructuralOperator*> byName;
    for (auto table : {inputOperators(), variableOperators(), callOperators(), branchOperators(), loopOperators(),
                       dataflowControlOperators(), tensorListOperators(), tensorArrayOperators()})
      for (const StructuralOperator& row : table) byName.emplace(row.op, &row);
    return byName;
  }();
  const auto found = index.find(op);
  return found == index.end() ? nullptr : found->second;
}

bool hasRule(std::string_view op) {
  const OperatorRow* row = findOperatorRow(op);
  return structuralOperator(op) || (row && row->type);
}

}  // namespace axle::tensorflow
