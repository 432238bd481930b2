// Variables, and operators that stand for their effect.
#include "ir/import/tensorflow/analysis/analysis.h"

namespace axle::tensorflow {

PartialShape Analysis::shapeOf(const Variable& variable) const {
  return variable.read ? PartialShape{true, variable.stored} : variable.shape;
}

// One that is read only is what its checkpoint says; of one that the graph assigns nobody knows what it is when it is
// read.
TypedId Analysis::valueOf(VariableId id, Span at) {
  if (auto known = variableValues_.find(id); known != variableValues_.end()) return known->second;
  const Variable& v = model_.variables[id.index];
  TypeId type = typeFor(v.type, shapeOf(shapeOf(v)), at);
  bool isConstant = v.access == Access::frozen && v.read;
  if (isConstant) weights_.emplace_back(id);
  TypedId value = isConstant ? typer_.weight(v.name, type, at) : typer_.opaque(v.name, type, at);
  variableValues_.emplace(id, value);
  return value;
}

// A resource; of TF1 the value that a reference stands for, too.
Outcome Analysis::variable(Frame& frame, NodeId id, Made& made) {
  const Node& node = (*frame.graph)[id];
  std::vector<Type> types = outletTypes(frame, node);
  OutletFact fact;
  fact.type = types.empty() ? Type::resource : types[0];
  fact.variable = node.variable;
  if (elementOf(fact.type) && node.variable) {
    fact.value = valueOf(*node.variable, (*frame.places)[id].name);
  }
  made = {fact};
  return Outcome::done;
}

Outcome Analysis::readVariable(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  if (n.count() < 1 || !n.fact(0).variable) return Outcome::unknown;
  VariableId variable = *n.fact(0).variable;
  OutletFact fact;
  fact.type = model_.variables[variable.index].type;
  if (elementOf(fact.type)) fact.value = valueOf(variable, n.places.name);
  made = {fact};
  return Outcome::done;
}

// The new value has the variable's type. A reference stands for the variable behind the assignment too.
Outcome Analysis::assign(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  if (n.count() < 2) return Outcome::unknown;
  if (!outletTypes(frame, n.node).empty()) made = {n.fact(0)};
  if (!n.isTensor(0) || !n.isTensor(1) || !n.node.op.starts_with("Assign")) return Outcome::done;
  if (n.node.op == "Assign" && !n.flag("validate_shape")) return Outcome::done;
  bool fits = typer_.unify(typer_.typeOf(n.in(0)), typer_.typeOf(n.in(1)), n.places.op, "`" + n.node.op + "`");
  return fits ? Outcome::done : Outcome::failed;
}

Outcome Analysis::variableShape(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  if (n.count() < 1 || !n.fact(0).variable) return Outcome::unknown;
  PartialShape shape = shapeOf(model_.variables[n.fact(0).variable->index]);
  Type type = n.type("out_type").value_or(Type::i32);
  std::string name = frame.prefix + n.node.name;
  if (!shape.knownRank) {
    made = {opaque(name, type, typer_.shape({typer_.unknownSize("k")}), n.places.name)};
    return Outcome::done;
  }
  std::vector<Dim> sizes;
  for (std::int64_t size : shape.sizes) sizes.push_back(size >= 0 ? typer_.constant(size) : typer_.unknownSize("d"));
  OutletFact fact = opaque(name, type, typer_.shape({typer_.constant(std::ssize(sizes))}), n.places.name);
  fact.known = Known::vector(std::move(sizes));
  made = {fact};
  return Outcome::done;
}

Outcome Analysis::isInitialized(Frame& frame, NodeId id, Made& made) {
  const NodePlaces& places = (*frame.places)[id];
  made = {scalar(frame.prefix + (*frame.graph)[id].name, Type::boolean, std::nullopt, places.name)};
  return Outcome::done;
}

Outcome Analysis::nothing(Frame&, NodeId, Made&) { return Outcome::done; }

Outcome Analysis::passFirst(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  if (n.count() < 1) return Outcome::unknown;
  made = {n.fact(0)};
  return Outcome::done;
}

}  // namespace axle::tensorflow
