// Unrolls small loops and maps with a fixed number of iterations.
#include "ir/ops/table.h"
#include "ir/passes/attributes.h"
#include "ir/passes/pass.h"
#include "ir/passes/patch_builder.h"

namespace axle::ir {

namespace {

// An unrolled iteration costs a slice of each sequence and a part of each result. They are cheaper than running a body
// while there are few operators in all.
constexpr UnrollLimits smallLoops{8, 48, false};

struct FixedLoop {
  std::size_t states = 0, sequences = 0;
  std::size_t axis = 0;  // of the sequences
  std::int64_t iterations = 0;
};

// Counts the operators of a body and of the bodies within. Returns nothing if they cannot run outside of a body.
std::optional<std::int64_t> countOperators(const Model& model, GraphId id, bool hasBodies) {
  const Graph& body = model.graphs[id.index];
  const auto order = topologicalOrder(body);
  if (!order || hasComposite(model, id)) return std::nullopt;
  std::int64_t operators = 0;
  for (NodeId at : *order) {
    const Node& inner = body[at];
    if (!inner.runSizes.empty() || !inner.after.empty() || !inner.checks.empty()) return std::nullopt;
    if (!inner.bodies.empty() && !hasBodies) return std::nullopt;
    operators += inner.op != Op::input && inner.op != Op::constant;
    for (GraphId within : inner.bodies) {
      const auto more = countOperators(model, within, hasBodies);
      if (!more) return std::nullopt;
      operators += *more;
    }
  }
  return operators;
}

std::optional<FixedLoop> fixedLoop(const Model& model, const Graph& graph, const Node& node,
                                   const UnrollLimits& limits) {
  if (!node.runSizes.empty() || !node.after.empty()) return std::nullopt;
  FixedLoop loop;
  if (const auto* attributes = std::get_if<LoopAttributes>(&node.attributes)) {
    loop.states = attributes->states, loop.sequences = attributes->sequences;
  } else if (const auto* map = std::get_if<MapAttributes>(&node.attributes)) {
    loop.sequences = map->sequences;
  } else if (node.op == Op::reduce && limits.nested) {
    loop.states = loop.sequences = 1;
    loop.axis = as<AxisAttributes>(node).axis;
  } else {
    return std::nullopt;
  }
  const Fact& first = graph[node.inputs[loop.states]].fact;
  loop.iterations = model.dims->asConstant(first.shape[loop.axis]).value_or(0);
  if (loop.iterations < 1 || loop.iterations > limits.iterations) return std::nullopt;
  const auto operators = countOperators(model, node.bodies[0], limits.nested);
  if (!operators || *operators * loop.iterations > limits.operators) return std::nullopt;
  if (!stacksResults(model, graph, node, loop.states)) return std::nullopt;
  return loop;
}

// Wires element `at` of a sequence along `axis`.
OutletId elementOf(PatchBuilder& patch, OutletId sequence, std::size_t axis, std::int64_t at) {
  DimStore& dims = patch.dims();
  Fact one = withoutValue(patch.tap(sequence));
  one.shape[axis] = dims.constant(1);
  const OutletId slice =
      patch.wire(Op::slice, {sequence}, SliceAttributes{axis, dims.constant(at), dims.constant(1)}, &one);
  return patch.wireReshape(slice, withoutAxis(one, axis).shape);
}

}  // namespace

GraphId copyBody(Model& model, GraphId id) {
  const GraphId at{static_cast<std::uint32_t>(model.graphs.size())};
  model.graphs.push_back(Graph(model.graphs[id.index]));
  for (std::size_t n = 0; n < model.graphs[at.index].nodes.size(); ++n) {
    std::vector<GraphId> bodies = model.graphs[at.index].nodes[n].bodies;
    for (GraphId& body : bodies) body = copyBody(model, body);
    model.graphs[at.index].nodes[n].bodies = std::move(bodies);
  }
  return at;
}

void clearBodiesOf(const Model& model, const Node& node, Patch& patch) {
  for (GraphId body : node.bodies) {
    GraphEdit edit;
    edit.graph = body;
    edit.clear = true;
    patch.edits.push_back(std::move(edit));
    for (const Node& inner : model.graphs[body.index].nodes) clearBodiesOf(model, inner, patch);
  }
}

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
    for (GraphId& within : node.bodies) within = copyBody(patch.model(), within);
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

namespace {

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
  // These are copies because copying bodies adds graphs to the model.
  const Node node = model.graphs[g.index][id];
  const Graph body = model.graphs[node.bodies[0].index];
  PatchBuilder patch(model, g, id);
  std::vector<OutletId> states(node.inputs.begin(), node.inputs.begin() + static_cast<std::ptrdiff_t>(loop.states));
  std::vector<std::vector<OutletId>> results(node.outputs.size() - loop.states);
  for (std::int64_t at = 0; at < loop.iterations; ++at) {
    std::vector<OutletId> inputs = states;
    for (std::size_t i = 0; i < loop.sequences; ++i)
      inputs.push_back(elementOf(patch, node.inputs[loop.states + i], loop.axis, at));
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
  clearBodiesOf(model, node, *done);
  return done;
}

}  // namespace

std::optional<Patch> unrollWithin(Model& model, GraphId g, NodeId id, const UnrollLimits& limits) {
  const std::optional<FixedLoop> loop = fixedLoop(model, model.graphs[g.index], model.graphs[g.index][id], limits);
  return loop ? unrollNode(model, g, id, *loop) : std::nullopt;
}

std::optional<Patch> unrollLoop(Model& model, const Uses&, GraphId g, NodeId id) {
  return unrollWithin(model, g, id, smallLoops);
}

}  // namespace axle::ir
