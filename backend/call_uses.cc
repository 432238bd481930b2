#include "backend/call_uses.h"

#include <numeric>

namespace axle {

CallUses::CallUses(const ir::Graph& graph, const Calls& calls)
    : maker(graph.outlets.size(), noCall), readers(graph.outlets.size()), isOutput(graph.outlets.size()) {
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    for (ir::OutletId id : calls[i].outputs) maker[id.index] = i;
    for (ir::OutletId id : calls[i].inputs) readers[id.index].push_back(i);
  }
  for (ir::OutletId id : graph.outputs) isOutput[id.index] = true;
}

std::vector<std::uint32_t> memoryOf(const ir::Graph& graph, const Calls& calls) {
  std::vector<std::uint32_t> memory(graph.outlets.size());
  std::iota(memory.begin(), memory.end(), 0u);
  const auto isJoin = [&](const Call& call) { return graph[call.node].op == ir::Op::concat; };
  for (std::size_t i = calls.size(); i-- > 0;)
    if (calls[i].alias && isJoin(calls[i]))
      for (ir::OutletId part : calls[i].inputs) memory[part.index] = memory[calls[i].outputs[0].index];
  for (const Call& call : calls) {
    if (call.alias && !isJoin(call)) memory[call.outputs[0].index] = memory[call.inputs[0].index];
    if (call.inPlace != 0) memory[call.outputs[0].index] = memory[call.inputs[call.inPlace - 1].index];
  }
  return memory;
}

}  // namespace axle
