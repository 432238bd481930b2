#include "import/tensorflow/analysis/visit_nodes.h"

#include <algorithm>

#include <fmt/format.h>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/apply_hints.h"
#include "import/tensorflow/analysis/element_types.h"
#include "import/tensorflow/analysis/followed_values.h"
#include "import/tensorflow/analysis/guards.h"
#include "import/tensorflow/analysis/input_nodes.h"
#include "import/tensorflow/analysis/structural_operators.h"
#include "import/tensorflow/analysis/typed_facts.h"
#include "import/tensorflow/registry.h"
#include "typecheck/report/conflict_messages.h"

namespace axle::tensorflow {
namespace {

// Whether the node gives tensors. Also true for an unknown operator.
bool givesTensors(const Model& model, const Frame& frame, const Node& node) {
  if (!operatorNamed(node.op)) return true;
  const std::vector<Type> types = outletTypes(model, frame, node);
  return std::any_of(types.begin(), types.end(), [](Type type) { return elementOf(type).has_value(); });
}

Outcome applyRule(Analysis& analysis, Frame& frame, NodeId id, const OperatorRow& row, OutletFacts& facts) {
  RuleNode n = ruleNode(analysis.typer, frame, id);
  if (!row.type.hasSignature() && !row.takesHandles)
    for (std::size_t i = 0; i < n.count(); ++i)
      if (!n.isTensor(i)) return Outcome::unknown;
  n.dropComplexAxes();
  const Outcome outcome = row.type.apply(n);
  if (outcome == Outcome::done || outcome == Outcome::waits) facts = factsOf(analysis, frame, id, n);
  if (!facts.empty()) followRank(n, facts.front());
  return outcome;
}

Outcome typeNode(Analysis& analysis, Frame& frame, NodeId id, OutletFacts& facts) {
  const Node& node = frame[id];
  const StructuralOperator* row = node.fed.empty() ? structuralOperator(node.op) : nullptr;
  if (!node.fed.empty() || node.callee || row) {
    StructuralNode n(analysis, frame, id);
    const Outcome outcome = !node.fed.empty() ? inputFacts(n)
                            : node.callee     ? callFunction(n, *node.callee, node.attributes)
                                              : row->apply(n);
    facts = std::move(n.facts);
    return outcome;
  }
  if (const OperatorRow* rule = findOperatorRow(node.op); rule && rule->type)
    return applyRule(analysis, frame, id, *rule, facts);
  return givesTensors(analysis.model, frame, node) ? Outcome::unknown : Outcome::done;
}

// Returns the fact of an outlet of which at most the type is known.
OutletFact declaredFact(GraphTyper& typer, const Frame& frame, NodeId id, std::size_t port, Type type) {
  OutletFact fact;
  fact.type = type;
  if (!elementOf(type)) return fact;
  const Span at = frame.at(id).name;
  fact.value = typer.opaque(fmt::format("{}:{}", frame.nameOf(id), port),
                            tensorType(typer, type, typer.unknownShape("s"), at), at);
  return fact;
}

// Adds facts to those of an earlier visit of the node, to whose values other nodes refer.
void improveFacts(GraphTyper& typer, const Frame& frame, NodeId id, OutletFacts& facts, OutletFacts better) {
  const Span at = frame.at(id).op;
  for (std::size_t port = 0; port < std::min(facts.size(), better.size()); ++port) {
    const bool haveValues = facts[port].value && better[port].value;
    if (haveValues)
      typer.unify(typer.typeOf(facts[port].value), typer.typeOf(better[port].value), at, "`" + frame[id].op + "`");
    if (better[port].known) facts[port].known = std::move(better[port].known);
    if (haveValues) typer.redefine(facts[port].value, better[port].value);
  }
}

void recordFacts(Analysis& analysis, Frame& frame, NodeId id, Outcome outcome, OutletFacts facts) {
  const Node& node = frame[id];
  if (outcome == Outcome::unknown && !hasRule(node.op) && !node.callee) {
    ++analysis.unknownOperators[node.op];
    analysis.unknownNodes.insert({&frame, id});
  }
  std::vector<Type> types = outletTypes(analysis.model, frame, node);
  if (outcome == Outcome::unknown && !node.callee && analysis.isMain(frame)) addHintedTypes(analysis, id, types);
  for (std::size_t port = facts.size(); port < types.size(); ++port)
    facts.push_back(declaredFact(analysis.typer, frame, id, port, types[port]));
  if (outcome != Outcome::failed) followValues(analysis.typer, frame, id, facts);
  OutletFacts& recorded = frame.facts[id.index];
  if (!recorded.empty()) return improveFacts(analysis.typer, frame, id, recorded, std::move(facts));
  recorded = std::move(facts);
  if (!analysis.isMain(frame)) return;
  applyHints(analysis, id, recorded);
  recordInputs(analysis, id);
}

// Returns false if the node still waits.
bool retry(Analysis& analysis, const Site& site) {
  OutletFacts facts;
  const Outcome outcome = typeNode(analysis, *site.frame, site.node, facts);
  if (outcome == Outcome::waits) return false;
  recordFacts(analysis, *site.frame, site.node, outcome, std::move(facts));
  attributeDiagnostics(analysis, site.frame);
  return true;
}

// Returns false, with one error, if a node that was just visited does not accept its element types. Keeps an error
// about element types that conflict, which names both ends; replaces one about shapes, which may follow from the wrong
// type.
bool elementsFit(Analysis& analysis, const Frame& frame, NodeId id, std::size_t firstDiagnostic) {
  Diagnostics& all = analysis.diagnostics;
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(firstDiagnostic);
  const auto isOfElements = [](const Diagnostic& d) {
    return d.code == &codes::elemMismatch || d.code == &codes::elemClass;
  };
  if (std::any_of(first, all.end(), isOfElements)) return true;
  std::optional<Diagnostic> misfit = elementMisfit(frame, id);
  if (!misfit) return true;
  all.resize(firstDiagnostic);
  all.push_back(std::move(*misfit));
  return false;
}

}  // namespace

void visitAll(Analysis& analysis, Frame& frame) {
  for (std::uint32_t i = 0; i < frame.graph->nodes.size(); ++i) visit(analysis, frame, NodeId{i});
}

void visit(Analysis& analysis, Frame& frame, NodeId id) {
  OutletFacts facts;
  const std::size_t before = analysis.diagnostics.size();
  Outcome outcome = typeNode(analysis, frame, id, facts);
  if (!elementsFit(analysis, frame, id, before)) {
    outcome = Outcome::failed;
    const auto isKnown = [&](Outlet input) { return frame.factOf(input).known.has_value(); };
    // Drops shapes that were computed from elements of a wrong type, because later nodes would refuse them again.
    if (std::any_of(frame[id].inputs.begin(), frame[id].inputs.end(), isKnown)) facts.clear();
  }
  forgetVariablesAssignedBy(analysis, frame, id);
  recordFacts(analysis, frame, id, outcome, std::move(facts));
  attributeDiagnostics(analysis, &frame);
  if (outcome == Outcome::waits) analysis.waiting.push_back({&frame, id});
}

bool retryWaiting(Analysis& analysis) {
  const std::vector<Site> sites = std::exchange(analysis.waiting, {});
  for (const Site& site : sites)
    if (!retry(analysis, site)) analysis.waiting.push_back(site);
  return analysis.waiting.size() < sites.size();
}

OutletFacts factsOf(Analysis& analysis, const Frame& frame, NodeId id, const RuleNode& n) {
  const std::vector<Type> types = outletTypes(analysis.model, frame, n.node);
  OutletFacts facts;
  for (TypedId result : n.results)
    for (TypedId part : analysis.typer.bind(frame.nameOf(id), result, frame.at(id).op)) {
      if (facts.size() >= types.size()) break;
      OutletFact fact;
      fact.type = types[facts.size()];
      fact.value = part;
      facts.push_back(std::move(fact));
    }
  return facts;
}

}  // namespace axle::tensorflow
