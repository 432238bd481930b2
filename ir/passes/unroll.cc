// Small loops and maps of a fixed number of iterations become the operators of their iterations, one after another.
#include "ir/ops/table.h"
#include "ir/passes/attributes.h"
#include "ir/passes/pass.h"
#include "ir/passes/patch_builder.h"

namespace axle::ir {

namespace {

// An iteration costs a slice of each sequence and a part of each result, which are cheaper than the frame of a body as
// long as there are few operators in all.
constexpr std::int64_t mostIterations = 8, mostOperators = 48;

struct FixedLoop {
  std::size_t states = 0, sequences = 0;
  std::int64_t iterations = 0;
};

std::optional<FixedLoop> fixedLoop(const Model& model, const Graph& graph, const Node& node) {
  if ((node.op != Op::loop && node.op != Op::map) || !node.runSizes.empty() || !node.after.empty()) return std::nullopt;
  const DimStore& dims = *model.dims;
  FixedLoop loop;
  if (node.op == Op::loop) loop.states = as<LoopAttributes>(node).states;
  loop.sequences = node.op == Op::loop ? as<LoopAttributes>(node).sequences : as<MapAttributes>(node).sequences;
  const Fact& first = graph[node.inputs[loop.states]].fact;
  loop.iterations = dims.asConstant(first.shape[0]).value_or(0);
  if (loop.iterations < 1 || loop.iterations > mostIterations) return std::nullopt;
  const Graph& body = model.graphs[node.bodies[0].index];
  auto order = topologicalOrder(body);
  if (!order || hasComposite(model, node.bodies[0])) return std::nullopt;
  std::int64_t operators = 0;
  for (NodeId id : *order) {
    const Node& inner = body[id];
    if (!inner.bodies.empty() || !inner.runSizes.empty() || !inner.after.empty() || !inner.checks.empty())
      return std::nullopt;
    operators += inner.op != Op::input && inner.op != Op::constant;
  }
  if (operators * loop.iterations > mostOperators) return std::nullopt;
  for (std::size_t i = loop.states; i < node.outputs.size(); ++i)  // stacked, not concatenated
    if (graph[node.outputs[i]].fact.shape.size() != body[body.outputs[i]].fact.shape.size() + 1) return std::nullopt;
  return loop;
}

// Element `at` of a sequence.
OutletId elementOf(PatchBuilder& patch, OutletId sequence, std::int64_t at) {
  DimStore& dims = patch.dims();
  Fact one = withoutValue(patch.tap(sequence));
  one.shape[0] = dims.constant(1);
  const OutletId slice =
      patch.wire(Op::slice, {sequence}, SliceAttributes{0, dims.constant(at), dims.constant(1)}, &one);
  return patch.wireReshape(slice, withoutAxis(one, 0).shape);
}

// Wires the body's operators on these inputs; gives its outputs.
std::vector<OutletId> inlineBody(PatchBuilder& patch, const Graph& body, const std::vector<OutletId>& inputs) {
  std::vector<OutletId> here(body.outlets.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) here[body.inputs[i].index] = inputs[i];
  const auto order = topologicalOrder(body);
  for (NodeId id : *order) {
    if (body[id].op == Op::input) continue;
    Node node = body[id];
    const std::vector<OutletId> outlets = std::exchange(node.outputs, {});
    std::vector<Fact> facts;
    for (OutletId outlet : outlets) facts.push_back(body[outlet].fact);
    for (OutletId& input : node.inputs) input = here[input.index];
    const std::vector<std::string> names = node.names;
    const std::vector<Span> spans = node.spans;
    const std::vector<OutletId> fresh = patch.wireNode(std::move(node), std::move(facts));
    patch.edit().added.back().node.names = names;
    patch.edit().added.back().node.spans = spans;
    for (std::size_t i = 0; i < outlets.size(); ++i) here[outlets[i].index] = fresh[i];
  }
  std::vector<OutletId> outputs;
  for (OutletId output : body.outputs) outputs.push_back(here[output.index]);
  return outputs;
}

OutletId stack(PatchBuilder& patch, const std::vector<OutletId>& items) {
  std::vector<OutletId> rows;
  for (OutletId item : items) {
    std::vector<Dim> shape = patch.tap(item).shape;
    shape.insert(shape.begin(), patch.dims().constant(1));
    rows.push_back(patch.wireReshape(item, std::move(shape)));
  }
  return rows.size() == 1 ? rows[0] : patch.wire(Op::concat, rows, AxisAttributes{0});
}

std::optional<Patch> unrollNode(Model& model, GraphId g, NodeId id, const FixedLoop& loop) {
  const Node& node = model.graphs[g.index][id];
  const Graph& body = model.graphs[node.bodies[0].index];
  PatchBuilder patch(model, g, id);
  std::vector<OutletId> states(node.inputs.begin(), node.inputs.begin() + static_cast<std::ptrdiff_t>(loop.states));
  std::vector<std::vector<OutletId>> results(node.outputs.size() - loop.states);
  for (std::int64_t at = 0; at < loop.iterations; ++at) {
    std::vector<OutletId> inputs = states;
    for (std::size_t i = 0; i < loop.sequences; ++i)
      inputs.push_back(elementOf(patch, node.inputs[loop.states + i], at));
    inputs.insert(inputs.end(), node.inputs.begin() + static_cast<std::ptrdiff_t>(loop.states + loop.sequences),
                  node.inputs.end());
    const std::vector<OutletId> outputs = inlineBody(patch, body, inputs);
    states.assign(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(loop.states));
    for (std::size_t i = 0; i < results.size(); ++i) results[i].push_back(outputs[loop.states + i]);
  }
  for (std::size_t i = 0; i < loop.states; ++i) patch.shunt(node.outputs[i], states[i]);
  for (std::size_t i = 0; i < results.size(); ++i) patch.shunt(node.outputs[loop.states + i], stack(patch, results[i]));
  patch.edit().removed.push_back(id);
  std::optional<Patch> done = patch.finish("unroll " + std::to_string(loop.iterations) + " iterations");
  if (!done) return std::nullopt;
  GraphEdit body0;
  body0.graph = node.bodies[0];
  body0.clear = true;
  done->edits.push_back(std::move(body0));
  return done;
}

}  // namespace

std::optional<Patch> unrollLoop(Model& model, const Uses&, GraphId g, NodeId id) {
  const std::optional<FixedLoop> loop = fixedLoop(model, model.graphs[g.index], model.graphs[g.index][id]);
  return loop ? unrollNode(model, g, id, *loop) : std::nullopt;
}

}  // namespace axle::ir
