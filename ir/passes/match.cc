#include "ir/passes/match.h"

#include <algorithm>

#include "ir/ops/table.h"
#include "ir/passes/attributes.h"

namespace axle::ir {

namespace {

constexpr int mostConstantNodes = 64;  // that one search for a constant looks at

// Counts `left` down by the nodes that it looks at.
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

bool matches(const Pattern& term, OutletId outlet, Found& found);

bool matchInputs(const Pattern& term, const Node& node, bool isSwapped, Found& found) {
  for (std::size_t i = 0; i < term.inputs.size(); ++i)
    if (!matches(term.inputs[i], node.inputs[isSwapped ? 1 - i : i], found)) return false;
  return true;
}

bool matchNode(const Pattern& term, NodeId id, Found& found) {
  const Node& node = found.inGraph()[id];
  if (node.op != term.op || node.outputs.size() != 1) return false;
  if (!term.takesAny && node.inputs.size() != term.inputs.size()) return false;
  const auto holes = found.holes;
  if (!matchInputs(term, node, false, found)) {
    found.holes = holes;
    if (node.inputs.size() != 2 || !isCommutative(node.op) || !matchInputs(term, node, true, found)) return false;
  }
  if (term.isNamed) found.nodes[term.index] = id;
  return true;
}

bool matches(const Pattern& term, OutletId outlet, Found& found) {
  if (term.kind == Pattern::Kind::node) {
    if (found.isBoundary(outlet) || (term.isOnce && !found.isReadOnce(outlet))) return false;
    return matchNode(term, found.inGraph()[outlet].node, found);
  }
  OutletId& hole = found.holes[term.index];
  if (hole) return hole == outlet;
  if (term.kind == Pattern::Kind::constantHole && !isConstant(found, outlet)) return false;
  hole = outlet;
  return true;
}

OutletId build(const Pattern& term, const Found& found, PatchBuilder& patch) {
  if (term.kind != Pattern::Kind::node) return found[term];
  std::vector<OutletId> inputs;
  for (const Pattern& input : term.inputs) inputs.push_back(build(input, found, patch));
  if (!term.isNamed) return patch.wire(term.op, std::move(inputs));
  const Node& like = found.named(term.index);
  const Fact declared = found.factOf(term.index);
  patch.comeFrom(like.outputs[0]);
  return patch.wire(term.op, std::move(inputs), like.attributes, &declared);
}

}  // namespace

std::optional<double> Found::number(const Pattern& hole) const {
  const Node& node = inGraph().producer(holes[hole.index]);
  return node.op == Op::constant ? repeatedNumber(model[node.constant]) : std::nullopt;
}

bool isConstant(const Found& found, OutletId outlet) {
  int left = mostConstantNodes;
  return isConstantNode(found, outlet, left);
}

std::optional<Patch> rewriteNode(Model& model, const Uses& uses, const PassContext& context, GraphId graph, NodeId node,
                                 std::span<const Rule> rules) {
  const Op op = model.graphs[graph.index][node].op;
  for (const Rule& rule : rules) {
    if (rule.pattern.op != op) continue;
    Found found{model, uses, context, graph, node, {}, {}};
    if (!matchNode(rule.pattern, node, found) || (rule.condition && !rule.condition(found))) continue;
    PatchBuilder patch(model, graph, node);
    const OutletId old = found.result();
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
