#include "driver/positive_weights.h"

#include <algorithm>
#include <span>
#include <vector>

namespace axle::driver {
namespace {

using ir::Op;

constexpr Op rootsAndLogarithms[] = {Op::sqrt, Op::rsqrt, Op::log, Op::log2};

// Operators whose result is positive if all their inputs are.
constexpr Op keepingPositive[] = {Op::add, Op::maximum, Op::cast, Op::reshape, Op::broadcast, Op::slice, Op::transpose};

bool isOneOf(Op op, std::span<const Op> ops) { return std::find(ops.begin(), ops.end(), op) != ops.end(); }

void addPositiveWeights(const ir::Model& model, const ir::Graph& graph, std::set<std::uint32_t>& weights) {
  std::vector<bool> seen(graph.nodes.size());
  std::vector<ir::NodeId> open;
  const auto readAll = [&](const ir::Node& reader) {
    for (ir::OutletId input : reader.inputs) {
      const ir::NodeId producer = graph[input].node;
      if (seen[producer.index]) continue;
      seen[producer.index] = true;
      open.push_back(producer);
    }
  };
  for (const ir::Node& node : graph.nodes)
    if (isOneOf(node.op, rootsAndLogarithms)) readAll(node);
  while (!open.empty()) {
    const ir::Node& node = graph[open.back()];
    open.pop_back();
    if (node.op == Op::constant) {
      if (const auto weight = model[node.constant].weight) weights.insert(*weight);
    } else if (isOneOf(node.op, keepingPositive)) {
      readAll(node);
    }
  }
}

}  // namespace

std::set<std::uint32_t> positiveWeights(const ir::Model& model) {
  std::set<std::uint32_t> weights;
  for (const ir::Graph& graph : model.graphs) addPositiveWeights(model, graph, weights);
  return weights;
}

}  // namespace axle::driver
