#include "ir/lower/bodies.h"

#include <algorithm>

#include "ir/lower/graph_builder.h"
#include "ir/lower/run_sizes.h"

namespace axle::ir::lowering {

OutletId addSource(Context& c, std::uint32_t scope, Op op, Fact fact) {
  Graph& g = c.graphOf(scope);
  Node node;
  node.op = op;
  NodeId id = g.add(std::move(node), {std::move(fact)});
  ++c.nodeCount;
  return g[id].outputs[0];
}

namespace {

OutletId inGraph(Context& c, std::uint32_t scope, const Tensor& tensor) {
  if (tensor.scope == scope) return tensor.outlet;
  std::pair key(tensor.scope, tensor.outlet.index);
  if (auto known = c.scopes[scope].imported.find(key); known != c.scopes[scope].imported.end()) return known->second;
  const Graph& outer = c.graphOf(tensor.scope);
  const Node& producer = outer.producer(tensor.outlet);
  OutletId outlet;
  if (producer.op == Op::constant) {
    std::uint32_t current = std::exchange(c.scope, scope);
    outlet = constantTensor(c, producer.constant).outlet;
    c.scope = current;
  } else if (producer.op == Op::dims) {
    Node copy = producer;
    copy.outputs.clear();
    copy.after.clear();
    Fact fact = outer[tensor.outlet].fact;
    std::uint32_t current = std::exchange(c.scope, scope);
    addSizeDependencies(c, copy, {}, {fact});
    c.scope = current;
    Graph& inner = c.graphOf(scope);
    outlet = inner[inner.add(std::move(copy), {std::move(fact)})].outputs[0];
  } else {
    inGraph(c, c.scopes[scope].parent, tensor);
    Fact fact = outer[tensor.outlet].fact;
    outlet = addSource(c, scope, Op::input, std::move(fact));
    c.scopes[scope].captures.push_back({tensor, outlet});
  }
  c.scopes[scope].imported[key] = outlet;
  return outlet;
}

}  // namespace

OutletId inCurrentGraph(Context& c, const Tensor& tensor) { return inGraph(c, c.scope, tensor); }

std::optional<Body> buildBody(Context& c, const std::vector<Fact>& fed, Span span, const char* where,
                              const std::function<std::optional<Value>(const std::vector<Tensor>&)>& value) {
  Body body;
  body.scope = static_cast<std::uint32_t>(c.scopes.size());
  Scope scope;
  scope.graph = GraphId{static_cast<std::uint32_t>(c.model.graphs.size())};
  scope.parent = c.scope;
  c.scopes.push_back(std::move(scope));
  c.model.graphs.emplace_back();
  std::vector<Tensor> inputs;
  for (const Fact& fact : fed) {
    body.fed.push_back(addSource(c, body.scope, Op::input, fact));
    inputs.push_back({body.scope, body.fed.back(), std::nullopt});
  }
  std::uint32_t outer = std::exchange(c.scope, body.scope);
  std::optional<Value> result = value(inputs);
  bool done = result && flattenValue(c, *result, body.outputs, span, where);
  if (done)
    for (const Tensor& output : body.outputs) c.graph().outputs.push_back(inCurrentGraph(c, output));
  c.scope = outer;
  if (!done) return std::nullopt;
  body.result = std::move(*result);
  return body;
}

namespace {

// Makes the captures of each body inputs of all bodies, in the same order, and returns them.
std::vector<Tensor> closeBodies(Context& c, const std::vector<const Body*>& bodies) {
  std::vector<Tensor> captures;
  for (const Body* body : bodies)
    for (const auto& [outside, inside] : c.scopes[body->scope].captures) {
      auto same = [&, &o = outside](const Tensor& t) { return t.scope == o.scope && t.outlet == o.outlet; };
      if (std::none_of(captures.begin(), captures.end(), same)) captures.push_back(outside);
    }
  for (const Body* body : bodies) {
    std::vector<OutletId> inputs = body->fed;
    for (const Tensor& capture : captures) {
      auto& imported = c.scopes[body->scope].imported;
      auto known = imported.find({capture.scope, capture.outlet.index});
      inputs.push_back(known != imported.end() ? known->second
                                               : addSource(c, body->scope, Op::input, fact(c, capture)));
    }
    c.graphOf(body->scope).inputs = std::move(inputs);
  }
  return captures;
}

}  // namespace

std::optional<std::vector<Tensor>> emitWithBodies(Context& c, Op op, Attributes attributes, std::vector<Tensor> inputs,
                                                  const std::vector<const Body*>& bodies, std::vector<Fact> facts,
                                                  std::vector<std::pair<std::uint32_t, DimVar>> runSizes) {
  Node node;
  node.op = op;
  node.attributes = std::move(attributes);
  for (const Body* body : bodies) node.bodies.push_back(c.scopes[body->scope].graph);
  node.runSizes = std::move(runSizes);
  std::vector<Tensor> captures = closeBodies(c, bodies);
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  return emitNode(c, std::move(node), inputs, std::move(facts));
}

}  // namespace axle::ir::lowering
