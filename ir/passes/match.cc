#include "ir/passes/match.h"

#include <algorithm>

#include "ir/ops/table.h"
#include "ir/passes/attributes.h"

namespace axle::ir {

namespace {

constexpr int mostConstantNodes = 64;  // the most nodes that one search for a constant visits

// Decrements `left` for each node that it visits.
bool isConstantNode(const Found& found, OutletId outlet, int& left) {
  if (--left < 0) return false;
  const Node& node = found.inGraph().producer(outlet);
  if (node.op == Op::constant) return found.context.weightsKnown || found.model[node.constant].bytes;
  if (node.inputs.empty() || node.outputs.size() != 1) return false;
  const Folding folding = row(node.op).folding;  // floats are divided without a check
  const bool isFloat = info(found.inGraph()[outlet].fact.elem).isFloat;
  if (folding != Folding::always && !(node.op == Op::div && isFloat)) return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](OutletId input) { return isConstantNode(found, input, left); });
}

// The graph interface that patterns use (patterns/pattern.h).
struct Matching {
  const Found& found;

  bool bind(const Pattern& hole, OutletId outlet, patterns::Bound<OutletId>& bound) const {
    const bool isNew = !bound.ofHole[hole.index];
    if (isNew && hole.kind == Pattern::Kind::constantHole && !isConstant(found, outlet)) return false;
    return bound.bind(hole, outlet);
  }

  const std::vector<OutletId>* enter(const Pattern& term, OutletId outlet, patterns::Bound<OutletId>& bound) const {
    const NodeId id = found.inGraph()[outlet].node;
    const bool isRoot = id == found.root;
    if (!isRoot && (found.isBoundary(outlet) || (term.isOnce && !found.isReadOnce(outlet)))) return nullptr;
    const Node& node = found.inGraph()[id];
    if (node.op != term.op || node.outputs.size() != 1) return nullptr;
    if (term.isNamed) bound.ofName[term.index] = outlet;
    return &node.inputs;
  }

  bool commutes(const Pattern& term) const { return isCommutative(term.op); }
};

OutletId build(const Pattern& term, const Found& found, PatchBuilder& patch) {
  if (term.kind != Pattern::Kind::node) return found[term];
  std::vector<OutletId> inputs;
  for (const Pattern& input : term.inputs) inputs.push_back(build(input, found, patch));
  if (!term.isNamed) return patch.wire(term.op, std::move(inputs));
  const Node& like = found.named(term.index);
  const Fact& declared = found.factOf(term.index);
  patch.comeFrom(found.bound.ofName[term.index]);
  return patch.wire(term.op, std::move(inputs), like.attributes, &declared);
}

}  // namespace

std::optional<double> Found::number(const Pattern& hole) const {
  const Node& node = inGraph().producer((*this)[hole]);
  return node.op == Op::constant ? repeatedNumber(model[node.constant]) : std::nullopt;
}

bool isConstant(const Found& found, OutletId outlet) {
  int left = mostConstantNodes;
  return isConstantNode(found, outlet, left);
}

std::optional<Patch> rewriteNode(Model& model, const Uses& uses, const PassContext& context, GraphId graph, NodeId node,
                                 std::span<const Rule> rules) {
  const Node& root = model.graphs[graph.index][node];
  const Op op = root.op;
  if (root.outputs.size() != 1) return std::nullopt;
  for (const Rule& rule : rules) {
    if (rule.pattern.op != op) continue;
    Found found{model, uses, context, graph, node, {}};
    Matching matching{found};
    const OutletId old = model.graphs[graph.index][node].outputs[0];
    if (!patterns::matches(matching, rule.pattern, old, found.bound)) continue;
    if (rule.condition && !rule.condition(found)) continue;
    PatchBuilder patch(model, graph, node);
    const OutletId fresh = rule.make ? rule.make(found, patch) : build(rule.replacement, found, patch);
    if (!fresh || fresh == old) continue;
    const Fact &before = found.resultFact(), &after = patch.tap(fresh);
    if (before.elem != after.elem || before.shape.size() != after.shape.size()) continue;
    patch.shunt(old, fresh);
    if (auto done = patch.finish(std::string(rule.name))) return done;
  }
  return std::nullopt;
}

tl::expected<bool, std::string> runRules(Model& model, const PassContext& context, std::span<const Rule> rules) {
  return rewriteEverywhere(model, context, [&](const Uses& uses, GraphId graph, NodeId node) {
    return rewriteNode(model, uses, context, graph, node, rules);
  });
}

}  // namespace axle::ir
