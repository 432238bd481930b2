#include "ir/trace.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace axle::ir {

namespace {

class Tracer {
 public:
  explicit Tracer(const Graph& graph) : graph_(graph) {
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) ports_.try_emplace(graph.inputs[i].index, TracePort{true, i});
    for (std::size_t i = 0; i < graph.outputs.size(); ++i)
      ports_.try_emplace(graph.outputs[i].index, TracePort{false, i});
  }

  std::vector<TracePort> from(OutletId output) const {
    auto own = ports_.find(output.index);
    if (own->second.isInput) return {own->second};
    std::vector<TracePort> found;
    std::vector<OutletId> open = graph_.producer(output).inputs;
    std::unordered_set<std::uint32_t> seen;
    for (std::size_t i = 0; i < open.size(); ++i) {
      OutletId outlet = open[i];
      if (!seen.insert(outlet.index).second) continue;
      if (auto port = ports_.find(outlet.index); port != ports_.end()) {
        found.push_back(port->second);
      } else {
        const std::vector<OutletId>& inputs = graph_.producer(outlet).inputs;
        open.insert(open.end(), inputs.begin(), inputs.end());
      }
    }
    return found;
  }

 private:
  const Graph& graph_;
  std::unordered_map<std::uint32_t, TracePort> ports_;  // by outlet
};

}  // namespace

Trace traceOf(const Model& model) {
  const Graph& graph = model.main();
  Trace trace;
  Tracer tracer(graph);
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    trace.order.push_back(i);
    trace.from.push_back(tracer.from(graph.outputs[i]));
  }
  std::unordered_map<std::uint32_t, std::size_t> places;  // of nodes
  const auto nodes = topologicalOrder(graph);
  for (std::size_t i = 0; nodes && i < nodes->size(); ++i) places[(*nodes)[i].index] = i;
  std::stable_sort(trace.order.begin(), trace.order.end(), [&](std::size_t a, std::size_t b) {
    return places[graph[graph.outputs[a]].node.index] < places[graph[graph.outputs[b]].node.index];
  });
  return trace;
}

}  // namespace axle::ir
