#include "ir/graph.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace axle::ir {

NodeId Graph::add(Node node, std::vector<Fact> facts) {
  NodeId id{static_cast<std::uint32_t>(nodes.size())};
  for (std::uint32_t slot = 0; slot < facts.size(); ++slot) {
    node.outputs.push_back(OutletId{static_cast<std::uint32_t>(outlets.size())});
    outlets.push_back({id, slot, std::move(facts[slot])});
  }
  nodes.push_back(std::move(node));
  return id;
}

ConstantId Model::addConstant(Elem elem, std::vector<std::int64_t> shape, std::vector<std::byte> bytes) {
  // Literals repeat; large tensors made by folding rarely do, so only small constants are shared.
  constexpr std::size_t small = 64;
  ConstantId next{static_cast<std::uint32_t>(constants.size())};
  if (bytes.size() <= small) {
    std::string key = std::to_string(static_cast<int>(elem)) + ':';
    for (std::int64_t size : shape) key += std::to_string(size) + ',';
    key += ':';
    key.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    auto [known, isNew] = small_.try_emplace(std::move(key), next.index);
    if (!isNew) return ConstantId{known->second};
  }
  constants.push_back(
      {"", elem, std::move(shape), std::nullopt, std::make_shared<const std::vector<std::byte>>(std::move(bytes))});
  return next;
}

namespace {

bool idsInRange(const Graph& graph) {
  auto outletOk = [&](OutletId id) { return id.index < graph.outlets.size(); };
  for (const Node& node : graph.nodes)
    if (!std::all_of(node.inputs.begin(), node.inputs.end(), outletOk) ||
        !std::all_of(node.after.begin(), node.after.end(), outletOk) ||
        !std::all_of(node.outputs.begin(), node.outputs.end(), outletOk))
      return false;
  for (const Outlet& outlet : graph.outlets)
    if (outlet.node.index >= graph.nodes.size()) return false;
  return std::all_of(graph.inputs.begin(), graph.inputs.end(), outletOk) &&
         std::all_of(graph.outputs.begin(), graph.outputs.end(), outletOk);
}

std::vector<bool> neededNodes(const Graph& graph) {
  std::vector<bool> needed(graph.nodes.size());
  std::vector<NodeId> open;
  auto want = [&](OutletId outlet) {
    NodeId node = graph[outlet].node;
    if (needed[node.index]) return;
    needed[node.index] = true;
    open.push_back(node);
  };
  for (OutletId outlet : graph.inputs) want(outlet);
  for (OutletId outlet : graph.outputs) want(outlet);
  while (!open.empty()) {
    NodeId node = open.back();
    open.pop_back();
    for (OutletId input : graph[node].inputs) want(input);
    for (OutletId before : graph[node].after) want(before);
  }
  return needed;
}

}  // namespace

std::optional<std::vector<NodeId>> topologicalOrder(const Graph& graph) {
  if (!idsInRange(graph)) return std::nullopt;
  std::vector<bool> needed = neededNodes(graph);
  std::vector<std::vector<NodeId>> readers = successors(graph);
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
    for (OutletId before : graph.nodes[i].after) readers[before.index].push_back(NodeId{i});
  std::vector<std::size_t> missing(graph.nodes.size());
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  std::size_t wanted = 0;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    if (!needed[i]) continue;
    ++wanted;
    missing[i] = graph.nodes[i].inputs.size() + graph.nodes[i].after.size();
    if (missing[i] == 0) ready.push(i);
  }
  std::vector<NodeId> order;
  order.reserve(wanted);
  while (!ready.empty()) {
    NodeId node{ready.top()};
    ready.pop();
    order.push_back(node);
    for (OutletId output : graph[node].outputs)
      for (NodeId reader : readers[output.index])
        if (needed[reader.index] && --missing[reader.index] == 0) ready.push(reader.index);
  }
  if (order.size() != wanted) return std::nullopt;
  return order;
}

std::vector<std::vector<NodeId>> successors(const Graph& graph) {
  std::vector<std::vector<NodeId>> readers(graph.outlets.size());
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
    for (OutletId input : graph.nodes[i].inputs) readers[input.index].push_back(NodeId{i});
  return readers;
}

std::optional<std::vector<std::int64_t>> constantShape(const DimStore& dims, const Fact& fact) {
  std::vector<std::int64_t> sizes;
  for (Dim d : fact.shape) {
    std::optional<std::int64_t> size = dims.asConstant(d);
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

Fact withoutValue(const Fact& fact) { return {fact.elem, fact.shape, {}}; }

Fact withoutAxis(const Fact& fact, std::size_t axis) {
  Fact out = withoutValue(fact);
  out.shape.erase(out.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return out;
}

Dim elementCount(DimStore& dims, const std::vector<Dim>& shape) {
  Dim count = dims.constant(1);
  for (Dim d : shape) count = dims.mul(count, d);
  return count;
}

}  // namespace axle::ir
