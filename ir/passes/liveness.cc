#include "ir/passes/liveness.h"

#include <algorithm>

#include "ir/passes/attributes.h"

namespace axle::ir {

namespace {

std::optional<std::size_t> peak(const Model& model, const Graph& graph, const Liveness& liveness) {
  std::vector<std::ptrdiff_t> change(liveness.order.size() + 2);
  for (std::uint32_t i = 0; i < graph.outlets.size(); ++i) {
    const Lifetime& lifetime = liveness.outlets[i];
    Op op = graph.producer(OutletId{i}).op;
    if (!lifetime.live || op == Op::constant || op == Op::input) continue;
    const std::optional<std::int64_t> bytes = knownBytes(*model.dims, graph.outlets[i].fact);
    if (!bytes) return std::nullopt;
    change[lifetime.begin] += *bytes;
    change[lifetime.end + 1] -= *bytes;
  }
  std::ptrdiff_t now = 0, most = 0;
  for (std::ptrdiff_t step : change) most = std::max(most, now += step);
  return static_cast<std::size_t>(most);
}

}  // namespace

std::optional<Liveness> liveness(const Model& model, const Graph& graph) {
  auto order = topologicalOrder(graph);
  if (!order) return std::nullopt;
  Liveness result{std::move(*order), std::vector<Lifetime>(graph.outlets.size()), std::nullopt};
  for (std::size_t step = 0; step < result.order.size(); ++step) {
    const Node& node = graph[result.order[step]];
    for (OutletId output : node.outputs) result.outlets[output.index] = {step, step, true};
    for (OutletId input : node.inputs) result.outlets[input.index].end = step;
  }
  for (OutletId output : graph.outputs) result.outlets[output.index].end = result.order.size();
  result.peakBytes = peak(model, graph, result);
  return result;
}

}  // namespace axle::ir
