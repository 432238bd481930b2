#include "ir/trace.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace axle::ir {

namespace {

using Ports = std::unordered_map<std::uint32_t, TracePort>;  // by outlet

Ports portsOf(const Graph& graph) {
  Ports ports;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) ports.try_emplace(graph.inputs[i].index, TracePort{true, i});
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) ports.try_emplace(graph.outputs[i].index, TracePort{false, i});
  return ports;
}

// Returns the ports from which an output is computed directly, not through another port.
std::vector<TracePort> sourcesOf(const Graph& graph, const Ports& ports, OutletId output) {
  if (const TracePort& own = ports.at(output.index); own.isInput) return {own};
  std::vector<TracePort> sources;
  std::vector<OutletId> open = graph.producer(output).inputs;
  std::unordered_set<std::uint32_t> seen;
  for (std::size_t i = 0; i < open.size(); ++i) {
    OutletId outlet = open[i];
    if (!seen.insert(outlet.index).second) continue;
    if (auto port = ports.find(outlet.index); port != ports.end()) {
      sources.push_back(port->second);
    } else {
      const std::vector<OutletId>& inputs = graph.producer(outlet).inputs;
      open.insert(open.end(), inputs.begin(), inputs.end());
    }
  }
  return sources;
}

}  // namespace

Trace traceOf(const Model& model) {
  const Graph& graph = model.main();
  Trace trace;
  const Ports ports = portsOf(graph);
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    trace.order.push_back(i);
    trace.from.push_back(sourcesOf(graph, ports, graph.outputs[i]));
  }
  std::unordered_map<std::uint32_t, std::size_t> positions;  // of nodes
  const auto nodes = topologicalOrder(graph);
  for (std::size_t i = 0; nodes && i < nodes->size(); ++i) positions[(*nodes)[i].index] = i;
  std::stable_sort(trace.order.begin(), trace.order.end(), [&](std::size_t a, std::size_t b) {
    return positions[graph[graph.outputs[a]].node.index] < positions[graph[graph.outputs[b]].node.index];
  });
  return trace;
}

}  // namespace axle::ir
