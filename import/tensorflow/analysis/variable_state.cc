// Variables, and operators that stand for their effect.
#include <fmt/format.h>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/codes.h"
#include "import/tensorflow/registry.h"

namespace axle::tensorflow {

PartialShape Analysis::shapeOf(const Variable& variable) const {
  return variable.read ? PartialShape{true, variable.stored} : variable.shape;
}

// What it is when the nodes before have run: at first what its checkpoint says, then what was assigned last.
TypedId Analysis::valueOf(VariableId id, Span at) {
  if (auto now = assigned_.find(id); now != assigned_.end()) return now->second;
  if (auto known = variableValues_.find(id); known != variableValues_.end()) return known->second;
  const Variable& v = model_.variables[id.index];
  TypeId type = typeFor(v.type, shapeOf(shapeOf(v)), at);
  if (v.read) weights_.emplace_back(id);
  TypedId value = v.read ? typer_.weight(v.name, type, at) : typer_.opaque(v.name, type, at);
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

constexpr Message<arg::Name, arg::ElementType, arg::Name, arg::ElementType> readsOtherType{
    codes::nodeMisfit, "{} reads {}, but the variable {} is {}", "reads {1}"};
constexpr Message<arg::Name, arg::ElementType, arg::Name, arg::ElementType> assignsOtherType{
    codes::nodeMisfit, "{} assigns {}, but the variable {} is {}", "assigns {1}"};

Outcome Analysis::readVariable(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  if (n.count() < 1 || !n.fact(0).variable) return Outcome::unknown;
  VariableId variable = *n.fact(0).variable;
  OutletFact fact;
  fact.type = model_.variables[variable.index].type;
  const auto read = n.type("dtype");
  if (read && *read != Type::invalid && fact.type != Type::invalid && *read != fact.type)
    return n.fail(readsOtherType, n.opName(), arg::ElementType{spelling(*read)},
                  arg::Name{model_.variables[variable.index].name}, arg::ElementType{spelling(fact.type)});
  if (elementOf(fact.type)) {
    auto [read, isFirst] = reads_.try_emplace({&frame, id});
    if (isFirst) {
      // Turns of a loop of Enters may assign it.
      const bool isOpen =
          model_.variables[variable.index].access == Access::state && isWithinLoop(frame, n.node.inputs[0]);
      if (isOpen) forget(variable, frame.prefix + n.node.name, n.places.name);
      read->second = valueOf(variable, n.places.name);
    }
    fact.value = read->second;
  }
  made = {fact};
  return Outcome::done;
}

// Whether what is assigned has the type that the variable is declared of.
bool Analysis::isOfVariable(RuleNode& n, const Variable& variable) {
  const OutletFact& value = n.fact(1);
  if (variable.type != Type::invalid && value.type != Type::invalid && variable.type != value.type) {
    n.fail(assignsOtherType, n.opName(), arg::ElementType{spelling(value.type)}, arg::Name{variable.name},
           arg::ElementType{spelling(variable.type)});
    return false;
  }
  if (!value.value || !variable.shape.knownRank) return true;
  std::vector<Dim> sizes;
  for (std::int64_t size : variable.shape.sizes)
    sizes.push_back(size >= 0 ? typer_.constant(size) : typer_.unknownSize("d"));
  const Span at = variable.nodes.empty() ? n.places.op : mainPlaces_[variable.nodes[0]].name;
  return typer_.unify(typeFor(variable.type, typer_.shape(sizes), at), typer_.typeOf(value.value), n.places.op,
                      "`" + n.node.op + "`");
}

// The new value has the variable's type. A reference stands for the variable behind the assignment too.
Outcome Analysis::assign(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  if (n.count() < 2) return Outcome::unknown;
  if (n.isTensor(0) && n.isTensor(1) && (n.node.op != "Assign" || n.flag("validate_shape")) &&
      !typer_.unify(typer_.typeOf(n.in(0)), typer_.typeOf(n.in(1)), n.places.op, "`" + n.node.op + "`"))
    return Outcome::failed;
  if (!n.isTensor(0) && n.fact(0).variable && !isOfVariable(n, model_.variables[n.fact(0).variable->index]))
    return Outcome::failed;
  if (n.fact(0).variable && n.isTensor(1)) store(frame, id, *n.fact(0).variable);
  if (outletTypes(frame, n.node).empty()) return Outcome::done;
  made = {n.fact(0)};
  if (n.fact(0).variable && made[0].value) made[0].value = valueOf(*n.fact(0).variable, n.places.op);
  if (n.fact(0).variable || !n.isTensor(0) || !n.isTensor(1)) return Outcome::done;
  // A variable that was frozen: a constant stands in its place.
  auto value = valueAfter(n, n.in(0), frame.prefix + n.node.name);
  if (!value) return Outcome::failed;
  made[0] = OutletFact{};
  made[0].type = n.fact(0).type;
  made[0].value = *value;
  return Outcome::done;
}

// What the node makes of a variable that is `before`.
std::optional<TypedId> Analysis::valueAfter(const RuleNode& n, TypedId before, const std::string& name) {
  const bool isSum = n.node.op.starts_with("AssignAdd"), isDifference = n.node.op.starts_with("AssignSub");
  if (!isSum && !isDifference) return n.in(1);
  auto value = typer_.apply(isSum ? "+" : "-", n.places.op, {before, n.in(1)}, {}, "`" + n.node.op + "`");
  return value ? std::optional(typer_.bind(name, *value, n.places.op).front()) : std::nullopt;
}

void Analysis::store(Frame& frame, NodeId id, VariableId variable) {
  RuleNode n = ruleNode(frame, id);
  const std::string name = frame.prefix + n.node.name;
  const TypedId before = valueOf(variable, n.places.op);
  const std::optional<TypedId> value = valueAfter(n, before, name);
  if (!value) return forget(variable, name, n.places.op);
  OutletFact now, was;
  now.type = was.type = model_.variables[variable.index].type;
  now.value = *value;
  was.value = before;
  // Within the branch of a Switch it is assigned where the branch is taken.
  if (isWithinLoop(frame, n.node.inputs[0])) return forget(variable, name, n.places.op);
  for (const auto& [by, ports] : switchesBehind(frame, n.node.inputs[0])) {
    if (ports != 1 && ports != 2) return forget(variable, name, n.places.op);
    Choice choice{{&frame, by}, {{ports == 1 ? now : was}, {ports == 1 ? was : now}}, {}, n.places.op, name};
    const std::string assigned = fmt::format("`{}`", name), before = "what it was before";
    now =
        join({choice.cases[0][0], choice.cases[1][0]}, choice.by, name, n.places.op,
             {model_.variables[variable.index].name, {ports == 1 ? assigned : before, ports == 1 ? before : assigned}});
    choice.chosen = {now};
    choices_[{&frame, id}].push_back(std::move(choice));
  }
  assigned_[variable] = now.value;
}

// Nobody knows what it is from here on.
void Analysis::forget(VariableId variable, const std::string& name, Span at) {
  assigned_[variable] = typer_.opaque(name, typer_.typeOf(valueOf(variable, at)), at);
}

// By what an operator does that no rule knows.
void Analysis::forgetAssigned(Frame& frame, NodeId id) {
  const Node& node = (*frame.graph)[id];
  if (node.callee || !node.fed.empty()) return;
  const Structural* row = structuralNamed(node.op);
  if (row && row->apply == &Analysis::assign) return;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const std::vector<OutletFact>& facts = frame.facts[node.inputs[i].node.index];
    if (node.inputs[i].port >= facts.size()) continue;
    auto variable = facts[node.inputs[i].port].variable;
    if (variable && mayAssign(node, i)) forget(*variable, frame.prefix + node.name, (*frame.places)[id].op);
  }
}

// What the queue declares of its elements; several stand one behind the other.
Outcome Analysis::dequeue(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  if (n.node.inputs.empty()) return Outcome::unknown;
  const Value* attribute = attributeOf((*frame.graph)[n.node.inputs[0].node], "shapes");
  const auto* shapes = attribute ? std::get_if<Values>(attribute) : nullptr;
  bool several = !n.node.op.starts_with("QueueDequeueV") && n.node.op != "QueueDequeue";
  std::optional<std::vector<Dim>> count;
  if (several && n.node.op.starts_with("QueueDequeueMany")) count = n.sizes(1);
  Dim length = count && count->size() == 1 ? count->front() : typer_.unknownSize("n");
  for (std::size_t port = 0; Type type : outletTypes(frame, n.node)) {
    const auto* declared = shapes && port < shapes->size() ? std::get_if<PartialShape>(&(*shapes)[port]) : nullptr;
    Shape shape = shapeOf(declared ? *declared : PartialShape{});
    if (several) shape.insert(shape.begin(), ShapePart::of(length));
    made.push_back(opaque(frame.prefix + n.node.name, type, std::move(shape), n.places.name));
    ++port;
  }
  return Outcome::done;
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

// As of the tensor that a read would give.
Outcome Analysis::gatherVariable(Frame& frame, NodeId id, Made& made) {
  Made read;
  if (Outcome outcome = readVariable(frame, id, read); outcome != Outcome::done) return outcome;
  RuleNode n = ruleNode(frame, id);
  if (!read[0].value || !n.isTensor(1)) return Outcome::unknown;
  RuleNode gather(typer_, n.node, n.places, {&read[0], &n.fact(1)}, frame.fromCall);
  const OperatorRow* row = findOperatorRow(n.node.op == "ResourceGather" ? "Gather" : "GatherNd");
  gather.dropComplexAxes();
  Outcome outcome = row->type.apply(gather);
  if (outcome == Outcome::done || outcome == Outcome::waits) made = factsOf(frame, id, gather);
  return outcome;
}

// Of an input pipeline: what its attributes declare. The sizes that they leave open are inputs'.
Outcome Analysis::nextElement(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  const Value* attribute = n.attribute("output_shapes");
  const auto* shapes = attribute ? std::get_if<Values>(attribute) : nullptr;
  const PartialShape* single = n.shape("shape");
  for (std::size_t port = 0; Type type : outletTypes(frame, n.node)) {
    const auto* shape = shapes && port < shapes->size() ? std::get_if<PartialShape>(&(*shapes)[port]) : single;
    made.push_back(opaque(frame.prefix + n.node.name, type, shapeOf(shape ? *shape : PartialShape{}), n.places.name));
    ++port;
  }
  return Outcome::done;
}

Outcome Analysis::passFirst(Frame& frame, NodeId id, Made& made) {
  RuleNode n = ruleNode(frame, id);
  if (n.count() < 1) return Outcome::unknown;
  made = {n.fact(0)};
  return Outcome::done;
}

}  // namespace axle::tensorflow
