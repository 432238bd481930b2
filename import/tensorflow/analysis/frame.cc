#include "import/tensorflow/analysis/frame.h"

#include <fmt/format.h>

namespace axle::tensorflow {

const OutletFact& Frame::factOf(Outlet outlet) const {
  static const OutletFact none;
  const OutletFacts& known = facts[outlet.node.index];
  return outlet.port < known.size() ? known[outlet.port] : none;
}

bool isNode(const Node& node, std::string_view name) {
  return node.op == name || (node.op.starts_with("Ref") && std::string_view(node.op).substr(3) == name);
}

std::string outletLabel(const Frame& frame, Outlet outlet) {
  const std::string& name = frame[outlet.node].name;
  return outlet.port == 0 ? name : fmt::format("{}:{}", name, outlet.port);
}

std::vector<Type> outletTypes(const Model& model, const Frame& frame, const Node& node) {
  if (!node.callee) return outletTypes(node, frame.fromCall);
  std::vector<Type> types;
  for (const Result& result : model[*node.callee].results) {
    const Value* given = attributeIn(node, result.typeAttribute, frame.fromCall);
    const auto* type = given ? std::get_if<Type>(given) : nullptr;
    types.push_back(result.typeAttribute.empty() ? result.type : type ? *type : Type::invalid);
  }
  return types;
}

RuleNode ruleNode(GraphTyper& typer, Frame& frame, NodeId id) {
  const Node& node = frame[id];
  std::vector<const OutletFact*> inputs;
  for (const Outlet& from : node.inputs) inputs.push_back(&frame.factOf(from));
  RuleNode n(typer, node, frame.at(id), std::move(inputs), frame.fromCall);
  n.runsAlways = frame.runsAlways;
  return n;
}

}  // namespace axle::tensorflow
