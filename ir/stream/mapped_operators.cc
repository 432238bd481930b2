// Replaces a map whose function looks at several frames by the operators of the function, over one more axis in front.
// So it takes any number of elements.
#include "ir/stream/mapped_operators.h"

#include <algorithm>

#include "ir/passes/attributes.h"
#include "ir/passes/pass.h"
#include "ir/passes/patch_builder.h"

namespace axle::ir::stream {

namespace {

// The tensor around the map for an outlet of the function: one for each element, stacked along axis 0, or one that all
// elements share.
struct Mapped {
  OutletId at;
  bool isEach = false;
};

// Writes a body of one operator. Reserves its place in the model first, because bodies come after their owners.
class BodyWriter {
 public:
  GraphId reserve(Model& model) {
    model.graphs.emplace_back();
    return place_ = GraphId{static_cast<std::uint32_t>(model.graphs.size() - 1)};
  }
  OutletId addInput(const Fact& fact) {
    Node input;
    input.op = Op::input;
    const NodeId id = graph_.add(std::move(input), {withoutValue(fact)});
    graph_.inputs.push_back(graph_[id].outputs[0]);
    return graph_.inputs.back();
  }
  void finish(Model& model, Node node, std::vector<Fact> facts) {
    const NodeId id = graph_.add(std::move(node), std::move(facts));
    graph_.outputs = graph_[id].outputs;
    model.graphs[place_.index] = std::move(graph_);
  }

 private:
  Graph graph_;
  GraphId place_;
};

// Whether a node with bodies stacks the results of its steps, instead of joining them.
bool isStacked(const Node& node, const Graph& graph, const Model& model) {
  return stacksResults(model, graph, node, node.op == Op::loop ? as<LoopAttributes>(node).states : 0);
}

class MapOpener {
 public:
  MapOpener(PatchBuilder& patch, const Graph& body, Dim count)
      : patch_(patch), body_(body), count_(count), here_(body.outlets.size()) {}

  // Returns the function's results, stacked. Returns nothing if no operator has a form over one more axis.
  std::optional<std::vector<OutletId>> open(const std::vector<OutletId>& inputs, std::size_t sequences);

 private:
  struct Form;  // the way to write operators over one more axis

  const Dims& shapeOf(OutletId id) const { return body_[id].fact.shape; }
  Dims stacked(Dims shape) const {
    shape.insert(shape.begin(), count_);
    return shape;
  }
  Fact stackedFact(const Fact& fact) const { return {fact.elem, stacked(fact.shape), {}}; }
  Fact stackedFact(OutletId id) const { return stackedFact(body_[id].fact); }
  bool isEach(OutletId id) const { return here_[id.index].isEach; }

  OutletId each(OutletId id);
  OutletId aligned(OutletId id, std::size_t rank);
  void share(Node node);
  OutletId pointwise(const Node& node);
  OutletId onImages(const Node& node);
  OutletId product(const Node& node);
  OutletId gathered(const Node& node);
  OutletId alongAxes(const Node& node);
  OutletId broadcast(const Node& node);
  OutletId reshape(const Node& node);
  OutletId operatorOf(const Node& node);
  OutletId exchanged(OutletId x);
  std::vector<OutletId> loop(Node node);
  GraphId stepOfAll(const Node& node);
  OutletId repeated(OutletId id, Dim times);
  std::vector<OutletId> flattened(Node node);
  std::vector<OutletId> mapOf(Node node);
  void add(const Node& node);
  void apply(const Node& node);

  PatchBuilder& patch_;
  const Graph& body_;
  Dim count_;
  std::vector<Mapped> here_;
  std::size_t opened_ = 0;  // the number of operators taken out of the map
};

// Returns a stacked tensor with one part for each element; repeats a shared one.
OutletId MapOpener::each(OutletId id) {
  const auto [at, isEach] = here_[id.index];
  if (isEach) return at;
  const Fact fact = stackedFact(id);
  return patch_.wire(Op::broadcast, {at}, {}, &fact);
}

// Returns an operand of an operator whose operands broadcast to `rank` axes behind the axis of elements.
OutletId MapOpener::aligned(OutletId id, std::size_t rank) {
  const auto [at, isEach] = here_[id.index];
  if (!isEach) return at;
  Dims shape = shapeOf(id);
  shape.insert(shape.begin(), rank - shape.size(), patch_.dims().constant(1));
  return patch_.wireReshape(at, stacked(std::move(shape)));
}

void MapOpener::share(Node node) {
  const std::vector<OutletId> outlets = std::exchange(node.outputs, {});
  std::vector<Fact> facts;
  for (OutletId outlet : outlets) facts.push_back(body_[outlet].fact);
  for (OutletId& input : node.inputs) input = here_[input.index].at;
  for (GraphId& within : node.bodies) within = copyBody(patch_.model(), within);
  const std::vector<OutletId> fresh = patch_.wireNode(std::move(node), std::move(facts));
  for (std::size_t i = 0; i < outlets.size(); ++i) here_[outlets[i].index] = {fresh[i], false};
}

OutletId MapOpener::pointwise(const Node& node) {
  std::vector<OutletId> inputs;
  for (OutletId input : node.inputs) inputs.push_back(aligned(input, shapeOf(node.outputs[0]).size()));
  const Fact declared = stackedFact(node.outputs[0]);
  return patch_.wire(node.op, std::move(inputs), node.attributes, &declared);
}

// Wires an operator over a batch of images: merges the axis of elements with the batch.
OutletId MapOpener::onImages(const Node& node) {
  for (std::size_t k = 1; k < node.inputs.size(); ++k)
    if (isEach(node.inputs[k])) return {};
  const auto joined = [&](Dims shape) {
    shape[0] = patch_.dims().mul(count_, shape[0]);
    return shape;
  };
  std::vector<OutletId> inputs{patch_.wireReshape(each(node.inputs[0]), joined(shapeOf(node.inputs[0])))};
  for (std::size_t k = 1; k < node.inputs.size(); ++k) inputs.push_back(here_[node.inputs[k].index].at);
  const Fact declared{body_[node.outputs[0]].fact.elem, joined(shapeOf(node.outputs[0])), {}};
  const OutletId result = patch_.wire(node.op, std::move(inputs), node.attributes, &declared);
  return patch_.wireReshape(result, stacked(shapeOf(node.outputs[0])));
}

// Wires a product with a matrix that all elements share as a convolution with a window of one row, over any number of
// sequences.
OutletId MapOpener::product(const Node& node) {
  const Dims& w = shapeOf(node.inputs[1]);
  if (w.size() != 2 || isEach(node.inputs[1]))
    return patch_.wire(Op::matmul, {each(node.inputs[0]), each(node.inputs[1])});
  const Dim one = patch_.dims().constant(1), zero = patch_.dims().constant(0);
  const OutletId filter = patch_.wireReshape(here_[node.inputs[1].index].at, {one, w[0], w[1]});
  return patch_.wire(Op::conv, {each(node.inputs[0]), filter},
                     ConvAttributes{{one}, {zero}, {zero}, {one}, {one}, one});
}

OutletId MapOpener::gathered(const Node& node) {
  const std::size_t axis = as<AxisAttributes>(node).axis;
  const auto [ids, hasOwnIds] = here_[node.inputs[1].index];
  if (!hasOwnIds) return patch_.wire(Op::gather, {each(node.inputs[0]), ids}, AxisAttributes{axis + 1});
  if (isEach(node.inputs[0]) || axis != 0) return {};
  return patch_.wire(Op::gather, {here_[node.inputs[0].index].at, ids}, AxisAttributes{0});
}

// Wires the same operator with its axes moved back by one.
OutletId MapOpener::alongAxes(const Node& node) {
  Attributes attributes = node.attributes;
  if (auto* a = std::get_if<AxisAttributes>(&attributes)) ++a->axis;
  if (auto* a = std::get_if<ScanAttributes>(&attributes)) ++a->axis;
  if (auto* a = std::get_if<OrderAttributes>(&attributes)) ++a->axis;
  if (auto* a = std::get_if<TopAttributes>(&attributes)) ++a->axis;
  if (auto* a = std::get_if<SliceAttributes>(&attributes)) ++a->axis;
  if (auto* a = std::get_if<FrameAttributes>(&attributes)) ++a->axis;
  if (auto* a = std::get_if<PermAttributes>(&attributes)) {
    for (std::size_t& axis : a->perm) ++axis;
    a->perm.insert(a->perm.begin(), 0);
  }
  if (auto* a = std::get_if<PadAttributes>(&attributes))
    for (Dims* all : {&a->before, &a->after}) all->insert(all->begin(), patch_.dims().constant(0));
  std::vector<OutletId> inputs;
  for (OutletId input : node.inputs) {
    const bool isScalar = shapeOf(input).empty();  // a start value or a padding value
    if (isScalar && isEach(input)) return {};
    inputs.push_back(isScalar ? here_[input.index].at : each(input));
  }
  const Fact declared = stackedFact(node.outputs[0]);
  return patch_.wire(node.op, std::move(inputs), std::move(attributes), &declared);
}

OutletId MapOpener::broadcast(const Node& node) {
  const Fact declared = stackedFact(node.outputs[0]);
  return patch_.wire(Op::broadcast, {aligned(node.inputs[0], shapeOf(node.outputs[0]).size())}, {}, &declared);
}

OutletId MapOpener::reshape(const Node& node) {
  return patch_.wireReshape(each(node.inputs[0]), stacked(shapeOf(node.outputs[0])));
}

struct MapOpener::Form {
  OutletId (MapOpener::*wire)(const Node&);
  std::initializer_list<Op> operators;
};

// Wires an operator over one more axis. Returns no outlet if it has no such form.
OutletId MapOpener::operatorOf(const Node& node) {
  if (isUnaryPointwise(node.op) || isBinaryPointwise(node.op)) return pointwise(node);
  static const Form forms[] = {
      {&MapOpener::pointwise, {Op::cast, Op::bitcast, Op::select}},
      {&MapOpener::broadcast, {Op::broadcast}},
      {&MapOpener::reshape, {Op::reshape}},
      {&MapOpener::onImages, {Op::conv, Op::maxPool, Op::avgPool, Op::upsample, Op::resize}},
      {&MapOpener::product, {Op::matmul}},
      {&MapOpener::gathered, {Op::gather}},
      {&MapOpener::alongAxes, {Op::transpose, Op::concat, Op::slice, Op::reverse, Op::pad, Op::copy, Op::frame}},
      {&MapOpener::alongAxes, {Op::reduceSum, Op::reduceProd, Op::reduceMax, Op::reduceMin, Op::overlapAdd}},
      {&MapOpener::alongAxes, {Op::cumSum, Op::cumProd, Op::cumMax, Op::cumMin, Op::fourier}},
      {&MapOpener::alongAxes, {Op::argsort, Op::topPlaces, Op::argMax, Op::argMin}},
  };
  for (const Form& form : forms)
    if (std::find(form.operators.begin(), form.operators.end(), node.op) != form.operators.end())
      return (this->*form.wire)(node);
  return {};
}

// Exchanges the first two axes of x.
OutletId MapOpener::exchanged(OutletId x) {
  return patch_.wire(Op::transpose, {x}, PermAttributes{exchangeFirstAxes(patch_.tap(x).shape.size())});
}

// Wires a map of one operator, which has no form over one more axis or has bodies.
std::vector<OutletId> MapOpener::mapOf(Node node) {
  BodyWriter body;
  std::vector<OutletId> inputs(node.inputs.size()), given;
  std::size_t sequences = 0;
  for (const bool mapped : {true, false})
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (isEach(node.inputs[k]) == mapped) {
        inputs[k] = body.addInput(body_[node.inputs[k]].fact);
        given.push_back(here_[node.inputs[k].index].at);
        sequences += mapped;
      }
  std::vector<Fact> one, all;
  for (OutletId output : std::exchange(node.outputs, {})) {
    one.push_back(body_[output].fact);
    all.push_back(stackedFact(output));
  }
  node.inputs = std::move(inputs);
  Node map;
  map.op = Op::map;
  map.inputs = std::move(given);
  map.attributes = MapAttributes{sequences};
  map.bodies = {body.reserve(patch_.model())};
  for (GraphId& within : node.bodies) within = copyBody(patch_.model(), within);
  body.finish(patch_.model(), std::move(node), std::move(one));
  return patch_.wireNode(std::move(map), std::move(all));
}

// Makes the step of a loop for all elements of the map: a body with a map of the loop's function.
GraphId MapOpener::stepOfAll(const Node& node) {
  Model& model = patch_.model();
  const std::size_t states = as<LoopAttributes>(node).states;
  BodyWriter around;
  Node map;
  map.op = Op::map;
  const GraphId step = around.reserve(model), within = copyBody(model, node.bodies[0]);
  map.bodies = {within};
  Graph& inner = model.graphs[within.index];
  const std::vector<OutletId> inputs = std::exchange(inner.inputs, {});
  std::vector<OutletId> given;
  const auto isMapped = [&](std::size_t k) { return k < states || isEach(node.inputs[k]); };
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Fact& fact = inner[inputs[k]].fact;
    given.push_back(around.addInput(isMapped(k) ? stackedFact(fact) : fact));
  }
  std::size_t sequences = 0;
  for (const bool mapped : {true, false})
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (isMapped(k) == mapped) {
        inner.inputs.push_back(inputs[k]);
        map.inputs.push_back(given[k]);
        sequences += mapped;
      }
  map.attributes = MapAttributes{sequences};
  std::vector<Fact> facts;
  for (OutletId output : inner.outputs) facts.push_back(stackedFact(inner[output].fact));
  around.finish(model, std::move(map), std::move(facts));
  return step;
}

// Wires a loop within the map as a loop whose steps are maps.
std::vector<OutletId> MapOpener::loop(Node node) {
  const auto [states, sequences] = as<LoopAttributes>(node);
  node.bodies = {stepOfAll(node)};
  std::vector<OutletId> outputs = std::exchange(node.outputs, {});
  std::vector<Fact> facts;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Fact fact = stackedFact(outputs[i]);
    if (i >= states) std::swap(fact.shape[0], fact.shape[1]);
    facts.push_back(std::move(fact));
  }
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    const bool isSequence = k >= states && k < states + sequences, own = isEach(node.inputs[k]);
    const OutletId x = k < states ? each(node.inputs[k]) : here_[node.inputs[k].index].at;
    node.inputs[k] = isSequence && own ? exchanged(x) : x;
  }
  std::vector<OutletId> results = patch_.wireNode(std::move(node), std::move(facts));
  for (std::size_t i = states; i < results.size(); ++i) results[i] = exchanged(results[i]);
  return results;
}

// What differs from element to element, but is the same for `times` runs within each.
OutletId MapOpener::repeated(OutletId id, Dim times) {
  Fact fact = stackedFact(id);
  Dims shape = fact.shape;
  shape.insert(shape.begin() + 1, patch_.dims().constant(1));
  fact.shape.insert(fact.shape.begin() + 1, times);
  return patch_.wire(Op::broadcast, {patch_.wireReshape(here_[id.index].at, std::move(shape))}, {}, &fact);
}

// A map within the map is one over the elements of all its runs.
std::vector<OutletId> MapOpener::flattened(Node node) {
  const std::vector<OutletId> given = std::exchange(node.inputs, {}), outputs = std::exchange(node.outputs, {});
  const std::size_t sequences = as<MapAttributes>(node).sequences;
  const Dim within = shapeOf(given[0])[0], all = patch_.dims().mul(count_, within);
  node.bodies = {copyBody(patch_.model(), node.bodies[0])};
  Graph& body = patch_.model().graphs[node.bodies[0].index];
  const std::vector<OutletId> inputs = std::exchange(body.inputs, {});
  const auto joined = [&](OutletId outlet) {
    Dims shape = body[outlet].fact.shape;
    shape.insert(shape.begin(), all);
    return shape;
  };
  std::vector<OutletId> shared;
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (k >= sequences && !isEach(given[k])) {
      shared.push_back(inputs[k]);
      continue;
    }
    const OutletId x = k < sequences ? each(given[k]) : repeated(given[k], within);
    node.inputs.push_back(patch_.wireReshape(x, joined(inputs[k])));
    body.inputs.push_back(inputs[k]);
  }
  node.attributes = MapAttributes{node.inputs.size()};
  for (std::size_t k = sequences; k < given.size(); ++k)
    if (!isEach(given[k])) node.inputs.push_back(here_[given[k].index].at);
  body.inputs.insert(body.inputs.end(), shared.begin(), shared.end());
  std::vector<Fact> facts;
  for (OutletId output : body.outputs) facts.push_back({body[output].fact.elem, joined(output), {}});
  std::vector<OutletId> results = patch_.wireNode(std::move(node), std::move(facts));
  for (std::size_t i = 0; i < results.size(); ++i)
    results[i] = patch_.wireReshape(results[i], stacked(shapeOf(outputs[i])));
  return results;
}

void MapOpener::add(const Node& node) {
  const std::size_t before = patch_.edit().added.size();
  if (std::any_of(node.inputs.begin(), node.inputs.end(), [&](OutletId id) { return isEach(id); }))
    apply(node);
  else
    share(node);
  for (std::size_t i = before; i < patch_.edit().added.size(); ++i) {
    patch_.edit().added[i].node.names = node.names;
    patch_.edit().added[i].node.spans = node.spans;
  }
}

// Applies an operator to each element.
void MapOpener::apply(const Node& node) {
  std::vector<OutletId> results;
  const bool isRepeated = (node.op == Op::loop || node.op == Op::map) && isStacked(node, body_, patch_.model());
  if (isRepeated)
    results = node.op == Op::loop ? loop(node) : flattened(node);
  else if (const OutletId result = operatorOf(node))
    results = {result};
  opened_ += results.empty() ? 0 : 1;
  if (results.empty()) results = mapOf(node);
  for (std::size_t i = 0; i < results.size(); ++i) here_[node.outputs[i].index] = {results[i], true};
}

std::optional<std::vector<OutletId>> MapOpener::open(const std::vector<OutletId>& inputs, std::size_t sequences) {
  const auto order = topologicalOrder(body_);
  if (!order) return std::nullopt;
  for (std::size_t k = 0; k < inputs.size(); ++k) here_[body_.inputs[k].index] = {inputs[k], k < sequences};
  for (NodeId id : *order)
    if (body_[id].op != Op::input) add(body_[id]);
  if (opened_ == 0) return std::nullopt;
  std::vector<OutletId> outputs;
  for (OutletId output : body_.outputs) outputs.push_back(each(output));
  return outputs;
}

bool canOpen(const Model& model, const Graph& body) {
  return std::all_of(body.nodes.begin(), body.nodes.end(), [&](const Node& node) {
    return node.checks.empty() && node.runSizes.empty() && node.after.empty() &&
           std::none_of(node.bodies.begin(), node.bodies.end(), [&](GraphId id) { return hasComposite(model, id); });
  });
}

}  // namespace

std::optional<Patch> operatorsOfMap(Model& model, NodeId id) {
  // These are copies because bodies are added to the model.
  const Node node = model.main()[id];
  if (node.op != Op::map || hasComposite(model, node.bodies[0])) return std::nullopt;
  const Graph body = model.graphs[node.bodies[0].index];
  if (!canOpen(model, body) || !isStacked(node, model.main(), model)) return std::nullopt;
  const std::size_t before = model.graphs.size();
  PatchBuilder patch(model, GraphId{0}, id);
  const Dim count = model.main()[node.inputs[0]].fact.shape[0];
  const auto outputs = MapOpener(patch, body, count).open(node.inputs, as<MapAttributes>(node).sequences);
  if (outputs)
    for (std::size_t i = 0; i < outputs->size(); ++i) patch.shunt(node.outputs[i], (*outputs)[i]);
  patch.edit().removed.push_back(id);
  auto done = outputs ? patch.finish("the operators of a map") : std::nullopt;
  if (done)
    clearBodiesOf(model, node, *done);
  else
    model.graphs.erase(model.graphs.begin() + static_cast<std::ptrdiff_t>(before), model.graphs.end());
  return done;
}

}  // namespace axle::ir::stream
