#include "import/tensorflow/analysis/variables.h"

#include <set>

#include <fmt/format.h>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/dataflow_control.h"
#include "import/tensorflow/analysis/input_nodes.h"
#include "import/tensorflow/analysis/structural_operators.h"
#include "import/tensorflow/analysis/typed_facts.h"
#include "import/tensorflow/analysis/visit_nodes.h"
#include "import/tensorflow/problems.h"
#include "import/tensorflow/registry.h"

namespace axle::tensorflow {
namespace {

constexpr Message<arg::Name, arg::ElementType, arg::Name, arg::ElementType> readTypeDiffers{
    codes::nodeMisfit, "{} reads {}, but the variable {} is {}", "reads {1}"};
constexpr Message<arg::Name, arg::ElementType, arg::Name, arg::ElementType> assignedTypeDiffers{
    codes::nodeMisfit, "{} assigns {}, but the variable {} is {}", "assigns {1}"};

// Returns the shape of the value in the checkpoint, or else the declared one.
PartialShape variableShape(const Variable& variable) {
  return variable.read ? PartialShape{true, variable.stored} : variable.shape;
}

const Variable& variableOf(const StructuralNode& n) { return n.analysis.model.variables[n.fact(0).variable->index]; }

Outcome refuse(StructuralNode& n, const Message<arg::Name, arg::ElementType, arg::Name, arg::ElementType>& message,
               Type given, const Variable& variable) {
  report(n.analysis.diagnostics, message, n.places.op, arg::Name{n.node.op}, arg::ElementType{spelling(given)},
         arg::Name{variable.name}, arg::ElementType{spelling(variable.type)});
  return Outcome::failed;
}

// Types a handle: a resource, or for TF1 a reference, which also stands for the value.
Outcome variableHandle(StructuralNode& n) {
  const std::vector<Type> types = n.outletTypes();
  OutletFact fact;
  fact.type = types.empty() ? Type::resource : types[0];
  fact.variable = n.node.variable;
  if (elementOf(fact.type) && n.node.variable) fact.value = variableValue(n.analysis, *n.node.variable, n.places.name);
  n.facts = {std::move(fact)};
  return Outcome::done;
}

// Reads the variable once for each node, however often the node is visited. Iterations of a loop of Enters may assign
// it.
TypedId readOnce(StructuralNode& n, VariableId id) {
  auto [read, isFirst] = n.analysis.variables.reads.try_emplace(n.site());
  if (isFirst) {
    const bool isAssigned = n.analysis.model.variables[id.index].access == Access::state;
    if (isAssigned && isWithinLoop(n.frame, n.node.inputs[0])) forgetVariable(n.analysis, id, n.name, n.places.name);
    read->second = variableValue(n.analysis, id, n.places.name);
  }
  return read->second;
}

Outcome readVariable(StructuralNode& n) {
  if (n.count() < 1 || !n.fact(0).variable) return Outcome::unknown;
  const Variable& variable = variableOf(n);
  OutletFact fact;
  fact.type = variable.type;
  const auto type = n.type("dtype");
  if (type && *type != Type::invalid && fact.type != Type::invalid && *type != fact.type)
    return refuse(n, readTypeDiffers, *type, variable);
  if (elementOf(fact.type)) fact.value = readOnce(n, *n.fact(0).variable);
  n.facts = {std::move(fact)};
  return Outcome::done;
}

// Types a gather by the rule for the tensor that a read would return.
Outcome gatherVariable(StructuralNode& n) {
  if (Outcome outcome = readVariable(n); outcome != Outcome::done) return outcome;
  const OutletFact read = n.facts[0];
  n.facts.clear();
  if (!read.value || !n.isTensor(1)) return Outcome::unknown;
  RuleNode gather = n.withInputs({&read, &n.fact(1)});
  const OperatorRow* row = findOperatorRow(n.node.op == "ResourceGather" ? "Gather" : "GatherNd");
  gather.dropComplexAxes();
  const Outcome outcome = row->type.apply(gather);
  if (outcome == Outcome::done || outcome == Outcome::waits) n.facts = factsOf(n.analysis, n.frame, n.id, gather);
  return outcome;
}

// Whether the assigned value has the variable's declared type; reports an error otherwise.
bool checkAssignedType(StructuralNode& n, const Variable& variable) {
  const OutletFact& value = n.fact(1);
  if (variable.type != Type::invalid && value.type != Type::invalid && variable.type != value.type) {
    refuse(n, assignedTypeDiffers, value.type, variable);
    return false;
  }
  if (!value.value || !variable.shape.knownRank) return true;
  const Span at = variable.nodes.empty() ? n.places.op : n.analysis.mainPlaces[variable.nodes[0]].name;
  const TypeId declared = tensorType(n.t, variable.type, declaredShape(n.t, variable.shape), at);
  return n.equate(declared, n.t.typeOf(value.value));
}

// Returns the value after an assignment to a variable that is `before`; none after an error.
std::optional<TypedId> assignedValue(const StructuralNode& n, TypedId before) {
  const bool isSum = n.node.op.starts_with("AssignAdd"), isDifference = n.node.op.starts_with("AssignSub");
  if (!isSum && !isDifference) return n.in(1);
  const auto value = n.t.apply(isSum ? "+" : "-", n.places.op, {before, n.in(1)}, {}, n.subject());
  return value ? std::optional(n.t.bind(n.name, *value, n.places.op).front()) : std::nullopt;
}

// Assigns a variable. After a Switch, it is assigned only if that port is taken.
void assignVariable(StructuralNode& n, VariableId variable) {
  Analysis& analysis = n.analysis;
  const auto forget = [&] { forgetVariable(analysis, variable, n.name, n.places.op); };
  const TypedId before = variableValue(analysis, variable, n.places.op);
  const std::optional<TypedId> value = assignedValue(n, before);
  if (!value || isWithinLoop(n.frame, n.node.inputs[0])) return forget();
  OutletFact now, was;
  now.type = was.type = analysis.model.variables[variable.index].type;
  now.value = *value;
  was.value = before;
  for (const auto& [by, ports] : switchesBehind(n.frame, n.node.inputs[0])) {
    if (ports != 1 && ports != 2) return forget();
    OutletFacts cases{was, now};
    std::vector<std::string> names{"what it was before", fmt::format("`{}`", n.name)};
    if (ports == 1) {
      std::swap(cases[0], cases[1]);
      std::swap(names[0], names[1]);
    }
    Branch branch{{&n.frame, by}, {{cases[0]}, {cases[1]}}, {}, n.places.op, n.name};
    now = mergeCases(analysis, std::move(cases), branch.by, n.name, n.places.op,
                     {analysis.model.variables[variable.index].name, std::move(names)});
    branch.results = {now};
    analysis.branches.byNode[n.site()].push_back(std::move(branch));
  }
  analysis.variables.assigned[variable] = now.value;
}

// Types an assignment. A reference also stands for the variable after it. If a variable was frozen, a constant takes
// its place.
Outcome assign(StructuralNode& n) {
  if (n.count() < 2) return Outcome::unknown;
  const std::optional<VariableId> variable = n.fact(0).variable;
  if (n.isTensor(0) && n.isTensor(1) && (n.node.op != "Assign" || n.flag("validate_shape")) &&
      !n.requireInput(1, n.t.typeOf(n.in(0))))
    return Outcome::failed;
  if (!n.isTensor(0) && variable && !checkAssignedType(n, variableOf(n))) return Outcome::failed;
  if (variable && n.isTensor(1)) assignVariable(n, *variable);
  if (n.outletTypes().empty()) return Outcome::done;
  OutletFact result = n.fact(0);
  if (variable && result.value) result.value = variableValue(n.analysis, *variable, n.places.op);
  if (!variable && n.isTensor(0) && n.isTensor(1)) {
    const auto value = assignedValue(n, n.in(0));
    if (!value) {
      n.facts = {std::move(result)};
      return Outcome::failed;
    }
    result = OutletFact{};
    result.type = n.fact(0).type;
    result.value = *value;
  }
  n.facts = {std::move(result)};
  return Outcome::done;
}

Outcome shapeOfVariable(StructuralNode& n) {
  if (n.count() < 1 || !n.fact(0).variable) return Outcome::unknown;
  const PartialShape shape = variableShape(variableOf(n));
  const Type type = n.type("out_type").value_or(Type::i32);
  if (!shape.knownRank) {
    n.facts = {opaqueFact(n.t, n.name, type, n.t.shape({n.t.unknownSize("k")}), n.places.name)};
    return Outcome::done;
  }
  std::vector<Dim> sizes;
  for (const ShapePart& part : declaredShape(n.t, shape)) sizes.push_back(part.dim);
  OutletFact fact = opaqueFact(n.t, n.name, type, n.t.shape({n.t.constant(std::ssize(sizes))}), n.places.name);
  fact.known = Known::vector(std::move(sizes));
  n.facts = {std::move(fact)};
  return Outcome::done;
}

Outcome isInitialized(StructuralNode& n) {
  n.facts = {scalarFact(n.t, n.name, Type::boolean, std::nullopt, n.places.name)};
  return Outcome::done;
}

}  // namespace

TypedId variableValue(Analysis& analysis, VariableId id, Span at) {
  VariableValues& values = analysis.variables;
  if (auto now = values.assigned.find(id); now != values.assigned.end()) return now->second;
  if (auto known = values.initial.find(id); known != values.initial.end()) return known->second;
  GraphTyper& typer = analysis.typer;
  const Variable& v = analysis.model.variables[id.index];
  const TypeId type = tensorType(typer, v.type, inputShape(analysis, variableShape(v)), at);
  if (v.read) analysis.program.weights.emplace_back(id);
  const TypedId value = v.read ? typer.weight(v.name, type, at) : typer.opaque(v.name, type, at);
  values.initial.emplace(id, value);
  return value;
}

OutletFact variableFact(Analysis& analysis, VariableId id, Span at) {
  OutletFact fact;
  fact.type = analysis.model.variables[id.index].type;
  fact.value = variableValue(analysis, id, at);
  return fact;
}

void forgetVariable(Analysis& analysis, VariableId id, const std::string& name, Span at) {
  GraphTyper& typer = analysis.typer;
  analysis.variables.assigned[id] = typer.opaque(name, typer.typeOf(variableValue(analysis, id, at)), at);
}

void forgetVariablesAssignedBy(Analysis& analysis, Frame& frame, NodeId id) {
  const Node& node = frame[id];
  if (node.callee || !node.fed.empty()) return;
  const StructuralOperator* row = structuralOperator(node.op);
  if (row && row->apply == assign) return;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const auto variable = frame.factOf(node.inputs[i]).variable;
    if (variable && mayAssign(node, i)) forgetVariable(analysis, *variable, frame.nameOf(id), frame.at(id).op);
  }
}

std::vector<VariableId> assignableVariables(const Model& model, const OutletFacts& arguments) {
  std::set<VariableId> found;
  for (const OutletFact& fact : arguments)
    if (fact.variable && model.variables[fact.variable->index].access == Access::state) found.insert(*fact.variable);
  return {found.begin(), found.end()};
}

std::span<const StructuralOperator> variableOperators() {
  static constexpr StructuralOperator rows[] = {
      {"Assign", assign},
      {"AssignAdd", assign},
      {"AssignAddVariableOp", assign},
      {"AssignSub", assign},
      {"AssignSubVariableOp", assign},
      {"AssignVariableOp", assign},
      {"IsVariableInitialized", isInitialized},
      {"ReadVariableOp", readVariable},
      {"ResourceGather", gatherVariable},
      {"ResourceGatherNd", gatherVariable},
      {"VarHandleOp", variableHandle},
      {"VarIsInitializedOp", isInitialized},
      {"Variable", variableHandle},
      {"VariableShape", shapeOfVariable},
      {"VariableV2", variableHandle},
  };
  return rows;
}

}  // namespace axle::tensorflow
