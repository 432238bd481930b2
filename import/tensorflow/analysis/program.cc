#include "import/tensorflow/analysis/program.h"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>

#include "import/builder/control_shapes.h"
#include "import/builder/structured_control.h"
#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/not_computed.h"
#include "import/tensorflow/analysis/structured_control.h"
#include "import/tensorflow/analysis/typed_facts.h"
#include "import/tensorflow/operators/node_formula.h"

namespace axle::tensorflow {
namespace {

constexpr std::int64_t mostRepeated = 4096;  // a tensor with more equal elements is not written out

bool isWhole(Type type) {
  const auto elem = info(type).element;
  return elem && (axle::info(*elem).isInt || *elem == Elem::boolean);
}

// Makes each value that has only a type, but whose elements are known, a constant.
void defineKnownValues(Analysis& analysis) {
  GraphTyper& typer = analysis.typer;
  for (Frame& frame : analysis.frames)
    for (std::uint32_t i = 0; i < frame.facts.size(); ++i)
      for (const OutletFact& fact : frame.facts[i]) {
        if (!fact.value || !fact.known || !isWhole(fact.type) || !typer.isOpaque(fact.value)) continue;
        Known known = *fact.known;
        for (Dim& d : known.elements) d = typer.solution().resolve(d);
        const auto values = wholeNumbers(known, typer.solution().dims);
        const auto tensor = values ? integerTensor(fact.type, known.shape, *values) : nullptr;
        if (!tensor) continue;
        const NodeId id{i};
        typer.redefine(fact.value, constantValue(analysis, frame.nameOf(id), tensor, frame.at(id).name));
      }
}

// ---- values that nodes compute

// Whether a node computes its value. A node that calls a function, for example, passes on a value from inside.
bool makesValue(const Analysis& analysis, const Site& site) {
  if (analysis.loops.unrolled.count(site)) return false;  // the last iteration does
  const std::string& op = (*site.frame)[site.node].op;
  const OperatorRow* row = findOperatorRow(op);
  return (row && row->formula) || analysis.loops.byWhile.count(site) || analysis.branches.byNode.count(site) ||
         op == "Exit" || op == "Merge";
}

// Records, for each opaque value, the node that computes it.
void recordProducers(Analysis& analysis) {
  const auto record = [&](TypedId value, Site site) {
    const auto binding = value ? analysis.typer.opaqueBehind(value) : std::nullopt;
    if (!binding) return;
    auto [known, isNew] = analysis.program.producers.try_emplace(binding->index, site);
    if (!isNew && !makesValue(analysis, known->second) && makesValue(analysis, site)) known->second = site;
  };
  for (Frame& frame : analysis.frames)
    for (std::uint32_t i = 0; i < frame.facts.size(); ++i)
      for (const OutletFact& fact : frame.facts[i])
        for (TypedId value : {fact.value, fact.content})
          if (!frame.isCopiedAt(i)) record(value, {&frame, NodeId{i}});
  // The values of variables after control flow are not outlets.
  for (const auto& [site, loop] : analysis.loops.byWhile)
    for (const OutletFact& fact : loop.exits) record(fact.value, site);
  for (const auto& [site, branches] : analysis.branches.byNode)
    for (const Branch& branch : branches)
      for (const OutletFact& fact : branch.results) record(fact.value, site);
}

// Gives the outlets of a node the values of its formula or control flow. Returns false if there are none.
bool defineOutlets(Analysis& analysis, Frame& frame, NodeId id) {
  const Node& node = frame[id];
  if (!analysis.program.tried.insert({&frame, id}).second) return false;
  const OperatorRow* row = findOperatorRow(node.op);
  if (!node.fed.empty() || !row || !row->formula) return defineControl(analysis, frame, id);
  OutletFacts& facts = frame.facts[id.index];
  const std::string name = frame.nameOf(id);
  const Span at = frame.at(id).op;
  NodeFormula formula(
      ruleNode(analysis.typer, frame, id), facts, analysis.inputSizes,
      [&](std::shared_ptr<const Tensor> tensor) { return constantValue(analysis, name, std::move(tensor), at); });
  const FormulaResults results = row->formula.apply(formula);
  if (formula.isTypesOnly()) return false;
  bool isAny = false;
  for (std::size_t port = 0; port < std::min(results.size(), facts.size()); ++port)
    if (results[port])
      isAny |= defineOpaque(analysis.typer, programValue(facts[port]), results[port].id, name, at, "`" + node.op + "`");
  return isAny;
}

// Defines the outlets of the nodes that compute these values. Returns false if none is defined now.
bool defineMissing(Analysis& analysis, const std::vector<BindingId>& missing) {
  bool isAny = false;
  std::set<Site> asked;
  for (BindingId binding : missing)
    if (auto site = analysis.program.producers.find(binding.index); site != analysis.program.producers.end())
      if (asked.insert(site->second).second) isAny |= defineOutlets(analysis, *site->second.frame, site->second.node);
  return isAny;
}

// ---- the entry

// Whether a node takes the outlet, or it is an output.
bool isTaken(const Model& model, Outlet outlet) {
  const auto isIt = [&](Outlet other) { return other == outlet; };
  return std::any_of(model.main.nodes.begin(), model.main.nodes.end(),
                     [&](const Node& node) { return std::any_of(node.inputs.begin(), node.inputs.end(), isIt); }) ||
         std::any_of(model.outputs.begin(), model.outputs.end(), [&](const Port& port) { return isIt(port.outlet); });
}

// The inputs and results of the entry, and the places of those without a value.
struct EntryValues {
  std::vector<TypedId> inputs, results;
  std::vector<Span> missing;
};

// If a tensor has two names, its input has the first. Skips an input of open rank that no node takes.
EntryValues entryValues(Analysis& analysis) {
  const Model& model = analysis.model;
  EntryValues entry;
  std::set<Outlet> given;
  TypedProgram& program = analysis.checked().program;
  for (const Port& port : model.inputs) {
    const OutletFact& fact = analysis.main().factOf(port.outlet);
    if (!given.insert(port.outlet).second) continue;
    if (fact.value && !isTaken(model, port.outlet) && !resolvedShape(analysis.typer, fact)) continue;
    if (!fact.value) {
      entry.missing.push_back(analysis.mainPlaces[port.outlet.node].name);
      continue;
    }
    program.bindings[std::get<TypedRef>(program[fact.value].node).binding.index].name = port.name;
    entry.inputs.push_back(fact.value);
  }
  for (const Port& port : model.outputs) {
    const TypedId value = analysis.main().factOf(port.outlet).value;
    if (!value) entry.missing.push_back(analysis.mainPlaces[port.outlet.node].name);
    entry.results.push_back(value);
  }
  return entry;
}

void addComposites(Analysis& analysis) {
  const auto values = [](const OutletFacts& facts) {
    std::vector<TypedId> ids;
    for (const OutletFact& fact : facts) ids.push_back(fact.value);
    return ids;
  };
  for (const CompositeCall& call : analysis.calls.composites) {
    const Function& function = analysis.model[call.function];
    analysis.checked().program.composites.push_back({compositeOf(function), function.name, values(call.inputs),
                                                     values(call.outputs), call.site.frame->at(call.site.node).name});
  }
}

}  // namespace

TypedId constantValue(Analysis& analysis, const std::string& name, std::shared_ptr<const Tensor> tensor, Span at) {
  GraphTyper& typer = analysis.typer;
  const TypeId type = tensorType(typer, tensor->type, declaredShape(typer, {true, tensor->shape}), at);
  if (tensor->type == Type::string) return typer.opaque(name, type, at);  // bundles hold no text
  if (tensor->stored() <= 1 && tensor->count > mostRepeated && !isComplex(tensor->type)) {
    auto one = std::make_shared<Tensor>();
    one->type = tensor->type;
    one->bytes = tensor->element(0);
    const std::vector<std::int64_t> sizes = tensor->shape;
    const TypedId element = constantValue(analysis, name, std::move(one), at);
    const auto whole = typer.apply("full", at, {element}, {{"dims", typer.list(sizes)}}, "`Const`");
    if (whole) return typer.bind(name, *whole, at).front();
  }
  analysis.program.weights.emplace_back(std::move(tensor));
  return typer.weight(name, type, at);
}

bool defineMain(Analysis& analysis) {
  defineKnownValues(analysis);
  EntryValues entry = entryValues(analysis);
  if (entry.missing.empty()) {
    const Span at = entry.results.empty() ? Span{} : analysis.mainPlaces[analysis.model.outputs[0].outlet.node].line;
    recordProducers(analysis);
    std::vector<BindingId> open;
    do open = analysis.typer.define(entry.inputs, entry.results, at);
    while (!open.empty() && defineMissing(analysis, open));
    for (BindingId binding : open) entry.missing.push_back(analysis.checked().program[binding].span);
    if (hasErrors(analysis.diagnostics)) return false;
  }
  addComposites(analysis);
  if (!entry.missing.empty()) reportNotComputed(analysis, entry.missing);
  return entry.missing.empty();
}

std::map<std::uint32_t, std::vector<std::string>> outletNames(const Analysis& analysis) {
  std::map<std::uint32_t, std::vector<std::string>> names;
  const TypedProgram& program = analysis.typer.checked().program;
  for (const Frame& frame : analysis.frames)
    for (std::uint32_t i = 0; i < frame.facts.size(); ++i)
      for (std::size_t port = 0; port < frame.facts[i].size() && !frame.isCopiedAt(i); ++port) {
        const TypedId value = frame.facts[i][port].value;
        const TypedRef* ref = value ? std::get_if<TypedRef>(&program[value].node) : nullptr;
        if (ref) names[ref->binding.index].push_back(fmt::format("{}:{}", frame.nameOf(NodeId{i}), port));
      }
  return names;
}

FileResult<TensorBytes> weightBytes(const Analysis& analysis, std::uint32_t index) {
  const auto& weight = analysis.program.weights[index];
  if (const auto* constant = std::get_if<std::shared_ptr<const Tensor>>(&weight)) return bytesOf(*constant);
  return analysis.model.variables[std::get<VariableId>(weight).index].read();
}

}  // namespace axle::tensorflow
