#include "ir/stream/frame_bodies.h"

#include <algorithm>

#include "ir/ops/table.h"
#include "ir/passes/attributes.h"
#include "ir/passes/pass.h"
#include "ir/passes/patch_builder.h"
#include "ir/stream/mapped_operators.h"
#include "ir/stream/state.h"

namespace axle::ir::stream {

namespace {

constexpr UnrollLimits unrolled{64, 8192, true};

// The data that checks of bodies read.
struct Scope {
  const Model& model;
  const StreamQuestion& question;
  Dim frames;  // the number of frames

  bool mentions(Dim d) const { return mentionsStream(model, question, d); }
  // Returns the axis of frames, if there is one. Clears `fits` if there are several or one of another size.
  std::optional<std::size_t> axisOf(const Fact& fact, bool& fits) const {
    std::optional<std::size_t> axis;
    for (std::size_t i = 0; i < fact.shape.size(); ++i) {
      if (!mentions(fact.shape[i])) continue;
      fits = fits && !axis && fact.shape[i] == frames;
      axis = i;
    }
    return axis;
  }
};

bool attributesMentionStream(const Scope& s, const Node& node) {
  bool found = false;
  Attributes attributes = node.attributes;
  changeSizes(attributes, [&](Dim& d) { found |= s.mentions(d); });
  return found;
}

bool isOne(const Model& model, Dim d) { return model.dims->asConstant(d) == 1; }
bool isPlace(const Model& model, const AxisWindow& w) {
  return isOne(model, w.size) && isOne(model, w.stride) && isOne(model, w.spread) &&
         model.dims->asConstant(w.before) == 0;
}

// Whether the operands that are divided into elements are divided along other axes than their frames.
bool isDividedElsewhere(const Scope& s, const Graph& graph, const Node& node) {
  std::size_t first = 0, last = 0, axis = 0;
  if (node.op == Op::loop)
    first = as<LoopAttributes>(node).states, last = first + as<LoopAttributes>(node).sequences;
  else if (node.op == Op::map)
    last = as<MapAttributes>(node).sequences;
  else if (node.op == Op::reduce)
    first = 1, last = 2, axis = as<AxisAttributes>(node).axis;
  for (std::size_t k = first; k < last; ++k)
    if (s.mentions(graph[node.inputs[k]].fact.shape[axis])) return false;
  return true;
}

bool bodiesFit(const Scope& s, const Node& node);

// Whether each frame of the node's results is computed from that frame of its operands.
bool nodeFits(const Scope& s, const Graph& graph, const Node& node) {
  bool fits = true;
  std::vector<std::optional<std::size_t>> read, made;
  for (OutletId id : node.inputs) read.push_back(s.axisOf(graph[id].fact, fits));
  for (OutletId id : node.outputs) made.push_back(s.axisOf(graph[id].fact, fits));
  const auto isFrames = [](const std::optional<std::size_t>& axis) { return axis.has_value(); };
  const bool makes = std::any_of(made.begin(), made.end(), isFrames);
  if (!fits || attributesMentionStream(s, node) || !node.checks.empty() || !node.runSizes.empty()) return false;
  if (node.op == Op::input || node.op == Op::constant) return true;
  if (!node.bodies.empty()) return isDividedElsewhere(s, graph, node) && bodiesFit(s, node);
  if (node.op == Op::iota || node.op == Op::randomBits) return !makes;
  if (std::none_of(read.begin(), read.end(), isFrames)) return !makes || node.op == Op::broadcast;
  const AxisMap map = axes(s.model, graph, node);
  for (std::size_t slot = 0; slot < made.size(); ++slot)
    for (std::size_t k = 0; k < read.size(); ++k) {
      if (!read[k]) continue;
      const auto link = std::find_if(map.links.begin(), map.links.end(), [&](const AxisLink& l) {
        return l.output == slot && made[slot] == l.outputAxis && l.from.input == k && l.from.axis == *read[k];
      });
      if (link == map.links.end() || (link->window && !isPlace(s.model, *link->window))) return false;
    }
  return true;
}

bool bodiesFit(const Scope& s, const Node& node) {
  for (GraphId id : node.bodies) {
    const Graph& body = s.model.graphs[id.index];
    const auto order = topologicalOrder(body);
    if (!order || hasComposite(s.model, id)) return false;
    for (NodeId inner : *order)
      if (!nodeFits(s, body, body[inner])) return false;
  }
  return true;
}

bool mentionsInside(const Scope& s, const Node& node) {
  return std::any_of(node.bodies.begin(), node.bodies.end(), [&](GraphId id) {
    const Graph& body = s.model.graphs[id.index];
    return std::any_of(body.outlets.begin(), body.outlets.end(),
                       [&](const Outlet& outlet) {
                         const Dims& shape = outlet.fact.shape;
                         return std::any_of(shape.begin(), shape.end(), [&](Dim d) { return s.mentions(d); });
                       }) ||
           std::any_of(body.nodes.begin(), body.nodes.end(), [&](const Node& inner) {
             return attributesMentionStream(s, inner) || mentionsInside(s, inner);
           });
  });
}

// Whether an operator cannot fail: sizes are checked before a run, and only integers divide by zero.
bool cannotFail(const Graph& body, const Node& node) {
  if (row(node.op).folding == Folding::always || node.op == Op::slice) return true;
  const bool divides = node.op == Op::div || node.op == Op::mod || node.op == Op::pow;
  return divides && info(body[node.outputs[0]].fact.elem).isFloat;
}

// Whether a body can run even if its result is not wanted: it cannot fail, and it ends.
bool canAlwaysRun(const Model& model, GraphId id) {
  const Graph& body = model.graphs[id.index];
  return !hasComposite(model, id) && std::all_of(body.nodes.begin(), body.nodes.end(), [&](const Node& node) {
    if (node.op == Op::none || node.op == Op::input || node.op == Op::constant) return true;
    if (node.op == Op::whileLoop || !node.checks.empty() || !node.runSizes.empty() || !node.after.empty()) return false;
    if (node.bodies.empty()) return cannotFail(body, node);
    return std::all_of(node.bodies.begin(), node.bodies.end(),
                       [&](GraphId within) { return canAlwaysRun(model, within); });
  });
}

// Computes both branches and selects one result.
std::optional<Patch> branchAsSelect(Model& model, NodeId id) {
  const Node node = model.main()[id];
  if (!node.runSizes.empty() || !node.after.empty() || !canAlwaysRun(model, node.bodies[0]) ||
      !canAlwaysRun(model, node.bodies[1]))
    return std::nullopt;
  const Graph taken = model.graphs[node.bodies[0].index], other = model.graphs[node.bodies[1].index];
  PatchBuilder patch(model, GraphId{0}, id);
  const std::vector<OutletId> inputs(node.inputs.begin() + 1, node.inputs.end());
  const auto a = inlineBody(patch, taken, inputs), b = inlineBody(patch, other, inputs);
  for (std::size_t i = 0; i < a.size(); ++i)
    patch.shunt(node.outputs[i], patch.wire(Op::select, {node.inputs[0], a[i], b[i]}));
  patch.edit().removed.push_back(id);
  auto done = patch.finish("both branches over a stream");
  if (done) clearBodiesOf(model, node, *done);
  return done;
}

std::optional<Patch> opened(Model& model, const StreamQuestion& question, NodeId id) {
  const Node& node = model.main()[id];
  if (node.bodies.empty() || !mentionsInside({model, question, {}}, node) ||
      worksFrameByFrame(model, question, model.main(), node))
    return std::nullopt;
  if (node.op == Op::branch) return branchAsSelect(model, id);
  auto operators = operatorsOfMap(model, id);
  return operators ? std::move(operators) : unrollWithin(model, GraphId{0}, id, unrolled);
}

// Moves results that a body reads from a whole stream out of it, such as `x[0]` in a loop over x.
std::optional<Patch> readOutside(Model& model, const StreamQuestion& question, GraphId g, NodeId id) {
  const Scope scope{model, question, {}};
  const auto isOfStream = [&](const Graph& body, OutletId outlet) {
    const auto streams = [&](OutletId at) {
      const Dims& shape = body[at].fact.shape;
      return std::any_of(shape.begin(), shape.end(), [&](Dim d) { return scope.mentions(d); });
    };
    if (streams(outlet)) return false;
    std::vector<OutletId> open{outlet};
    while (!open.empty()) {
      const OutletId at = open.back();
      open.pop_back();
      if (streams(at)) return true;
      const auto& inputs = body.producer(at).inputs;
      open.insert(open.end(), inputs.begin(), inputs.end());
    }
    return false;
  };
  return hoistWanted(model, g, id, {isOfStream, true});
}

}  // namespace

bool worksFrameByFrame(const Model& model, const StreamQuestion& question, const Graph& graph, const Node& node) {
  if (node.bodies.empty()) return false;
  Scope scope{model, question, {}};
  bool isFound = false;
  for (const auto* outlets : {&node.inputs, &node.outputs})
    for (OutletId id : *outlets)
      for (Dim d : graph[id].fact.shape)
        if (!isFound && scope.mentions(d)) scope.frames = d, isFound = true;
  return isFound && mentionsInside(scope, node) && nodeFits(scope, graph, node);
}

tl::expected<bool, std::string> openFrameBodies(Model& model, const StreamQuestion& question) {
  bool isChanged = false;
  const auto hoist = [&](const Uses&, GraphId g, NodeId id) {
    auto patch = readOutside(model, question, g, id);
    isChanged |= patch.has_value();
    return patch;
  };
  if (auto done = rewriteEverywhere(model, {}, hoist); !done) return tl::unexpected(done.error());
  for (bool again = true; std::exchange(again, false);) {
    const auto order = topologicalOrder(model.main());
    if (!order) return tl::unexpected(std::string("a graph has a cycle"));
    for (NodeId id : *order) {
      if (model.main()[id].op == Op::none) continue;
      const auto patch = opened(model, question, id);
      if (!patch) continue;
      if (auto done = apply(model, *patch); !done) return tl::unexpected(done.error());
      again = isChanged = true;
    }
  }
  return isChanged;
}

}  // namespace axle::ir::stream
