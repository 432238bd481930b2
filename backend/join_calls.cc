#include "backend/join_calls.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "backend/call_uses.h"
#include "ir/ops/table.h"
#include "runtime/chain.h"
#include "runtime/check.h"
#include "runtime/kernels/strided.h"
#include "runtime/program.h"

namespace axle {

bool isFusablePointwise(const ir::Graph& graph, const ir::Node& node) {
  const runtime::OpRow* row = runtime::operatorRow(static_cast<std::uint32_t>(node.op));
  if (row == nullptr || row->choose == nullptr) return false;
  return !(row->has(ops::mayFail) && info(graph[node.outputs[0]].fact.elem).isInt);
}

bool isRowReduction(const ir::Graph& graph, const ir::Node& node) {
  const runtime::OpRow* row = runtime::operatorRow(static_cast<std::uint32_t>(node.op));
  if (row == nullptr || row->reduceRow == nullptr) return false;
  return std::get<ir::AxisAttributes>(node.attributes).axis + 1 == graph[node.inputs[0]].fact.shape.size() &&
         graph[node.inputs[1]].fact.shape.empty();
}

Call joinCalls(const ir::Graph& graph, const Calls& calls, const std::vector<std::uint32_t>& makers,
               const std::vector<std::uint32_t>& members, std::uint32_t base) {
  Call call;
  if (base != noCall) {
    call.node = calls[base].node;
    call.inputs = calls[base].inputs;
    call.from = calls[base].from;
  }
  const auto isMember = [&](std::uint32_t maker) {
    return maker != noCall && std::binary_search(members.begin(), members.end(), maker);
  };
  const auto opOf = [&](std::uint32_t member) { return graph[calls[member].node].op; };
  const auto isPassedOver = [&](std::uint32_t member) {
    return opOf(member) == ir::Op::reshape || opOf(member) == ir::Op::pad;
  };
  // Returns the tensor of which an operand is a reshape or padding, or the operand itself.
  const auto source = [&](ir::OutletId id) {
    while (isMember(makers[id.index]) && isPassedOver(makers[id.index])) id = calls[makers[id.index]].inputs[0];
    return id;
  };
  std::unordered_map<std::uint32_t, std::uint32_t> operands, links;  // by outlet, by member: their numbers
  for (std::uint32_t member : members)
    for (ir::OutletId input : calls[member].inputs) {
      const ir::OutletId from = source(input);
      const std::uint32_t maker = makers[from.index];
      if (isPassedOver(member) || isMember(maker) || (maker != noCall && maker == base)) continue;
      if (!operands.try_emplace(from.index, static_cast<std::uint32_t>(call.inputs.size())).second) continue;
      call.inputs.push_back(from);
      ++call.epilogueInputs;
    }
  const auto firstLink = static_cast<std::uint32_t>(call.inputs.size()) + (base != noCall ? 1u : 0u);
  // Returns the number of a member's result. Adds a shift only when it is first needed, so that few results wait.
  const std::function<std::uint32_t(std::uint32_t)> linkOf = [&](std::uint32_t member) {
    if (const auto known = links.find(member); known != links.end()) return known->second;
    const ir::Node& node = graph[calls[member].node];
    Pointwise link{static_cast<std::uint32_t>(node.op), graph[node.outputs[0]].fact.elem, {}, 0};
    if (calls[member].shift) link.op = op::shift, link.shift = *calls[member].shift;
    for (ir::OutletId input : node.inputs) {
      const std::uint32_t maker = makers[source(input).index];
      if (isMember(maker))
        link.args.push_back(linkOf(maker));
      else if (maker != noCall && maker == base)
        link.args.push_back(firstLink - 1);
      else
        link.args.push_back(operands.at(source(input).index));
    }
    call.epilogue.push_back(std::move(link));
    return links[member] = firstLink + static_cast<std::uint32_t>(call.epilogue.size()) - 1;
  };
  for (std::uint32_t member : members) {
    call.from.insert(call.from.end(), calls[member].from.begin(), calls[member].from.end());
    if (!isPassedOver(member) && !calls[member].shift) linkOf(member);
  }
  call.outputs = calls[members.back()].outputs;
  return call;
}

bool fitsCall(const Call& call) {
  if (call.epilogueInputs > static_cast<std::uint32_t>(runtime::maxChainOperands)) return false;
  if (call.epilogue.size() > runtime::maxLinks) return false;
  const auto firstLink = static_cast<std::uint32_t>(call.inputs.size()) + (call.node ? 1u : 0u);
  std::vector<std::size_t> last(call.epilogue.size());
  for (std::size_t i = 0; i < call.epilogue.size(); ++i)
    for (std::uint32_t arg : call.epilogue[i].args)
      if (arg >= firstLink) last[arg - firstLink] = i;
  for (std::size_t i = 0; i + 1 < call.epilogue.size(); ++i) {
    int needed = 1;
    for (std::size_t j = 0; j < i; ++j) needed += last[j] >= i ? 1 : 0;
    if (needed > runtime::chainRegisters) return false;
  }
  return true;
}

}  // namespace axle
