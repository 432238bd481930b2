#include "ir/stream/stage_model.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

#include "ir/ops/table.h"
#include "ir/passes/patch.h"
#include "ir/stream/stages.h"

namespace axle::ir {

StageModel::StageModel(const Model& main, const StreamAnalysis& analysis, DimVar frames)
    : main_(main), analysis_(analysis), frames_(main.dims->variable(frames)) {
  stage_.model.dims = main.dims;
  stage_.model.entry = main.entry;
  stage_.model.weights = main.weights;
  stage_.model.graphs.emplace_back();
}

bool StageModel::has(NodeId id, std::size_t input) const {
  const OutletId outlet = node(id).inputs[input];
  if (operands_.count({id.index, input}) != 0) return true;
  return local_.count(outlet.index) != 0 &&
         (flow(outlet).arrival != Arrival::frames ||
          (analysis_.windows[id.index][input].isOneToOne() && !readsOutside(main_, analysis_, id, input)));
}

// Returns how many places before a frame a transposed convolution begins, which makes `spread` results for each frame
// that it reads. These places are zeros inserted behind the frame before.
std::int64_t StageModel::placesBefore(NodeId id, const FrameWindow& window) const {
  if (window.spread == 1 || !std::holds_alternative<ConvAttributes>(node(id).attributes)) return 0;
  const std::int64_t reach = window.last - window.first + window.spread - 1;  // of a result, from its first place on
  return reach % window.spread;
}

// A stage that computes several frames from each frame begins with a whole one.
FrameWindow StageModel::windowOf(NodeId id, std::size_t input) const {
  FrameWindow window = analysis_.windows[id.index][input];
  if (window.spread != 1) window.first -= window.spread - 1 - placesBefore(id, window);
  return window;
}

OutletId StageModel::input(const StageSource& source, Fact fact) {
  for (const auto& [known, outlet] : inputs_)
    if (known == source && stage_.model.main()[outlet].fact.shape == fact.shape) return outlet;
  Graph& graph = stage_.model.graphs.front();
  Node node;
  node.op = Op::input;
  fact.value = {};
  const OutletId outlet = graph[graph.add(std::move(node), {std::move(fact)})].outputs[0];
  graph.inputs.push_back(outlet);
  stage_.sources.push_back(source);
  stage_.model.inputNames.push_back("in." + std::to_string(stage_.sources.size() - 1));
  inputs_.emplace_back(source, outlet);
  return outlet;
}

void StageModel::addSource(NodeId id, std::size_t at, const StageSource& source) {
  const OutletId outlet = node(id).inputs[at];
  DimStore& dims = *main_.dims;
  Fact fact = main_.main()[outlet].fact;
  if (source.kind == SourceKind::window) {
    const bool isScaledSource = source.spread != 1;
    const Dim rest = number(source.last - source.first + 1 - source.stride);
    fact = factOf(outlet, isScaledSource ? frames_ : dims.add(dims.mul(frames_, number(source.stride)), rest));
  } else if (source.kind == SourceKind::begin || source.kind == SourceKind::end) {
    fact = factOf(outlet, number(source.last));
  }
  operands_[{id.index, at}] = input(source, std::move(fact));
}

void StageModel::addState(NodeId id, std::size_t at, std::uint32_t state) {
  StageSource source;
  source.kind = SourceKind::state;
  source.index = state;
  operands_[{id.index, at}] = input(source, main_.main()[node(id).inputs[at]].fact);
}

OutletId StageModel::constant(ConstantId id) {
  if (const auto known = constants_.find(id.index); known != constants_.end()) return known->second;
  return constants_[id.index] = ownConstant(main_[id]);
}

OutletId StageModel::ownConstant(Constant from) {
  Model& model = stage_.model;
  Node made;
  made.op = Op::constant;
  made.constant = ConstantId{static_cast<std::uint32_t>(model.constants.size())};
  Fact fact{from.elem, {}, made.constant};
  for (std::int64_t size : from.shape) fact.shape.push_back(number(size));
  model.constants.push_back(std::move(from));
  Graph& graph = model.graphs.front();
  return graph[graph.add(std::move(made), {std::move(fact)})].outputs[0];
}

OutletId StageModel::operand(NodeId id, std::size_t at) {
  const OutletId outlet = node(id).inputs[at];
  if (const auto read = operands_.find({id.index, at}); read != operands_.end()) return read->second;
  if (const Node& producer = main_.main().producer(outlet); producer.op == Op::constant)
    return constant(producer.constant);
  return local_.at(outlet.index);
}

// Copies a body and its constants.
GraphId StageModel::copyBody(GraphId id, Dim all) {
  const GraphId at{static_cast<std::uint32_t>(stage_.model.graphs.size())};
  stage_.model.graphs.push_back(main_.graphs[id.index]);
  for (std::size_t n = 0; n < stage_.model.graphs[at.index].nodes.size(); ++n) {
    Node copy = stage_.model.graphs[at.index].nodes[n];
    if (copy.op == Op::constant) {
      const ConstantId made{static_cast<std::uint32_t>(stage_.model.constants.size())};
      stage_.model.constants.push_back(main_[copy.constant]);
      copy.constant = made;
      stage_.model.graphs[at.index][copy.outputs[0]].fact.value = made;
    }
    for (GraphId& body : copy.bodies) body = copyBody(body, all);
    stage_.model.graphs[at.index].nodes[n] = std::move(copy);
  }
  for (Outlet& outlet : stage_.model.graphs[at.index].outlets) {
    std::replace(outlet.fact.shape.begin(), outlet.fact.shape.end(), all, frames_);
    if (stage_.model.graphs[at.index][outlet.node].op != Op::constant &&
        std::holds_alternative<ConstantId>(outlet.fact.value))
      outlet.fact.value = {};
  }
  return at;
}

std::vector<OutletId> StageModel::wire(Node made, std::vector<Fact> declared) {
  if (!wrong_.empty()) return {};
  for (Fact& fact : declared) fact.value = {};
  Graph& graph = stage_.model.graphs.front();
  const NodeId id = graph.add(std::move(made), std::move(declared));
  auto facts = infer(stage_.model, graph, graph[id]);
  if (!facts) {
    wrong_ = "its frames cannot be computed piece by piece: " + facts.error();
    return {};
  }
  for (std::size_t i = 0; i < facts->size(); ++i) {
    (*facts)[i].value = {};
    graph[graph[id].outputs[i]].fact = std::move((*facts)[i]);
  }
  return graph[id].outputs;
}

OutletId StageModel::wireOne(NodeId origin, Op op, std::vector<OutletId> inputs, Attributes attributes, Fact declared) {
  Node made;
  made.op = op;
  made.inputs = std::move(inputs);
  made.attributes = std::move(attributes);
  made.names = node(origin).names;
  made.spans = node(origin).spans;
  const auto outlets = wire(std::move(made), {std::move(declared)});
  return outlets.empty() ? OutletId{} : outlets[0];
}

Fact StageModel::factOf(OutletId id, Dim size) const {
  Fact fact = main_.main()[id].fact;
  fact.shape[flow(id).axis] = size;
  fact.value = {};
  return fact;
}

OutletId StageModel::slice(NodeId origin, OutletId x, std::size_t axis, Dim start, Dim length) {
  if (!wrong_.empty()) return {};
  Fact fact = stage_.model.main()[x].fact;
  fact.shape[axis] = length;
  return wireOne(origin, Op::slice, {x}, SliceAttributes{axis, start, number(1)}, std::move(fact));
}

// Adds the node unchanged, over fewer frames.
void StageModel::addPlain(NodeId id) {
  const Node& from = node(id);
  Node made;
  made.op = from.op;
  made.attributes = from.attributes;
  made.names = from.names;
  made.spans = from.spans;
  for (std::size_t k = 0; k < from.inputs.size(); ++k) made.inputs.push_back(operand(id, k));
  const OutletId framed = frameOutput(analysis_, from);
  const Dim all =
      flow(framed).arrival == Arrival::frames ? main_.main()[framed].fact.shape[flow(framed).axis] : frames_;
  for (GraphId body : from.bodies) made.bodies.push_back(copyBody(body, all));
  if (from.op == Op::slice && analysis_.windows[id.index].size() == 1 &&
      flow(from.outputs[0]).arrival == Arrival::frames && as<SliceAttributes>(from).axis == flow(from.outputs[0]).axis)
    std::get<SliceAttributes>(made.attributes).start = number(0);
  std::vector<Fact> declared;
  const auto& windows = analysis_.windows[id.index];
  for (OutletId output : from.outputs) {
    if (flow(output).arrival != Arrival::frames) {
      declared.push_back(main_.main()[output].fact);
      continue;
    }
    Dim size = frames_;
    for (const FrameWindow& window : windows)
      if (window.spread != 1) size = main_.dims->mul(frames_, number(window.spread));
    declared.push_back(factOf(output, size));
  }
  const auto outlets = wire(std::move(made), std::move(declared));
  for (std::size_t i = 0; i < outlets.size(); ++i) local_[from.outputs[i].index] = outlets[i];
  for (const FrameWindow& window : windows)
    if (window.spread != 1) stage_.scale = window.spread;
}

void StageModel::addConv(NodeId id) {
  const Node& from = node(id);
  const Flow& x = flow(from.inputs[0]);
  auto attributes = as<ConvAttributes>(from);
  const bool isSpatial = x.arrival == Arrival::frames && x.axis > 0 && x.axis <= attributes.strides.size();
  if (!isSpatial) return addPlain(id);
  const std::size_t k = x.axis - 1;
  const FrameWindow& window = analysis_.windows[id.index][0];
  const std::int64_t before = placesBefore(id, window);
  attributes.before[k] = number(before);
  attributes.after[k] = number(window.spread - 1);
  if (window.spread != 1) {
    stage_.scale = window.spread;
    stage_.shift = window.spread - 1 - window.first - before;  // the padding in front, without `before`
    if (window.stride != 1) wrong_ = "a transposed convolution has a stride of its own";
  }
  const Dim size = window.spread == 1
                       ? frames_
                       : main_.dims->sub(main_.dims->mul(frames_, number(window.spread)),
                                         number(window.last - window.first + window.spread - 1 - before));
  local_[from.outputs[0].index] =
      wireOne(id, from.op, {operand(id, 0), operand(id, 1)}, attributes, factOf(from.outputs[0], size));
}

// Averages count only elements inside of the sequence: divides the average with zeros outside by the average of a mask
// with ones inside.
void StageModel::addPool(NodeId id) {
  const Node& from = node(id);
  const Flow& x = flow(from.inputs[0]);
  auto attributes = as<PoolAttributes>(from);
  if (x.axis == 0 || x.axis > attributes.sizes.size()) return addPlain(id);
  const std::size_t k = x.axis - 1;
  const bool isPadded = readsOutside(main_, analysis_, id, 0);
  attributes.before[k] = attributes.after[k] = number(0);
  OutletId pooled = wireOne(id, from.op, {operand(id, 0)}, attributes, factOf(from.outputs[0], frames_));
  if (from.op == Op::avgPool && isPadded) {
    const auto read =
        std::find_if(inputs_.begin(), inputs_.end(), [&](const auto& known) { return known.second == operand(id, 0); });
    StageSource inside = read->first;
    inside.kind = SourceKind::inside;
    Fact view = stage_.model.main()[operand(id, 0)].fact;
    const Dim frames = view.shape[x.axis];
    const OutletId mask = input(inside, Fact{Elem::boolean, {frames}, {}});
    PoolAttributes alone = attributes;
    view.shape.assign(view.shape.size(), number(1));
    view.shape[x.axis] = frames;
    for (std::size_t i = 0; i < alone.sizes.size(); ++i)
      if (i != k) alone.sizes[i] = alone.strides[i] = number(1), alone.before[i] = alone.after[i] = number(0);
    const OutletId ones = wireOne(id, Op::cast, {mask}, NoAttributes{}, Fact{view.elem, {frames}, {}});
    const OutletId spread = wireOne(id, Op::reshape, {ones}, NoAttributes{}, view);
    Fact shares = view;
    shares.shape[x.axis] = frames_;
    const OutletId share = wireOne(id, from.op, {spread}, alone, shares);
    pooled = wireOne(id, Op::div, {pooled, share}, NoAttributes{}, factOf(from.outputs[0], frames_));
  }
  local_[from.outputs[0].index] = pooled;
}

void StageModel::addPad(NodeId id) {
  const Node& from = node(id);
  auto attributes = as<PadAttributes>(from);
  const std::size_t axis = flow(from.outputs[0]).axis;
  attributes.before[axis] = attributes.after[axis] = number(0);
  std::vector<OutletId> inputs;
  for (std::size_t k = 0; k < from.inputs.size(); ++k) inputs.push_back(operand(id, k));
  local_[from.outputs[0].index] = wireOne(id, from.op, std::move(inputs), attributes, factOf(from.outputs[0], frames_));
}

// Pads frames that are shorter than a step with zeros, up to the next frame. With a step of 1, cuts off the sums that
// reach beyond the frames read.
void StageModel::addOverlapAdd(NodeId id) {
  const Node& from = node(id);
  const auto attributes = as<FrameAttributes>(from);
  const OutletId frames = operand(id, 0);
  const auto step = main_.dims->asConstant(attributes.step),
             length = main_.dims->asConstant(main_.main()[from.inputs[0]].fact.shape[attributes.axis + 1]);
  if (flow(from.inputs[0]).axis != attributes.axis || !step || !length) return addPlain(id);
  if (*step == 1) {
    DimStore& dims = *main_.dims;
    const Dim all = dims.add(frames_, number(2 * (*length - 1)));
    const OutletId sums = wireOne(id, Op::overlapAdd, {frames}, attributes, factOf(from.outputs[0], all));
    local_[from.outputs[0].index] = slice(id, sums, flow(from.outputs[0]).axis, number(*length - 1), frames_);
    return;
  }
  if (*length < *step) {
    Fact padded = stage_.model.main()[frames].fact;
    PadAttributes pad{Dims(padded.shape.size(), number(0)), Dims(padded.shape.size(), number(0))};
    pad.after[attributes.axis + 1] = number(*step - *length);
    padded.shape[attributes.axis + 1] = number(*step);
    operands_[{id.index, 0}] = wireOne(id, Op::pad, {frames}, std::move(pad), std::move(padded));
  }
  addPlain(id);
}

// Continues a running sum: puts its last value in front of the new frames.
void StageModel::addRunning(NodeId id, std::uint32_t state) {
  const Node& from = node(id);
  const auto attributes = as<ScanAttributes>(from);
  const std::size_t axis = attributes.axis;
  DimStore& dims = *main_.dims;
  StageSource source;
  source.kind = SourceKind::state;
  source.index = state;
  const OutletId before = input(source, factOf(from.inputs[0], number(1)));
  const Dim more = dims.add(frames_, number(1));
  const OutletId joined =
      wireOne(id, Op::concat, {before, operand(id, 0)}, AxisAttributes{axis}, factOf(from.inputs[0], more));
  const OutletId sums =
      wireOne(id, from.op, {joined}, ScanAttributes{axis, false, false}, factOf(from.outputs[0], more));
  local_[from.outputs[0].index] = slice(id, sums, axis, number(attributes.exclusive ? 0 : 1), frames_);
  const OutletId last = slice(id, sums, axis, frames_, number(1));
  if (!wrong_.empty()) return;
  stage_.model.graphs.front().outputs.push_back(last);
  stage_.model.outputNames.push_back("state." + std::to_string(state));
  stage_.sinks.push_back({SinkKind::setState, state});
}

void StageModel::addLoop(NodeId id) {
  const Node& from = node(id);
  const std::size_t states = as<LoopAttributes>(from).states;
  std::vector<std::uint32_t> numbers;
  for (std::size_t k = 0; k < states; ++k) {
    const OutletId read = operand(id, k);
    const auto known =
        std::find_if(inputs_.begin(), inputs_.end(), [&](const auto& entry) { return entry.second == read; });
    numbers.push_back(known->first.index);
  }
  addPlain(id);
  if (!wrong_.empty()) return;
  for (std::size_t k = 0; k < states; ++k) {
    stage_.model.graphs.front().outputs.push_back(local_.at(from.outputs[k].index));
    stage_.model.outputNames.push_back("state." + std::to_string(numbers[k]));
    stage_.sinks.push_back({SinkKind::setState, numbers[k]});
  }
}

void StageModel::addIota(NodeId id) {
  const Node& from = node(id);
  const OutletId output = from.outputs[0];
  const std::size_t axis = flow(output).axis;
  if (as<AxisAttributes>(from).axis != axis) return addPlain(id);
  StageSource count;
  count.kind = SourceKind::count;
  const OutletId numbers = input(count, Fact{Elem::i64, {frames_}, {}});
  Fact row = factOf(output, frames_);
  for (std::size_t i = 0; i < row.shape.size(); ++i)
    if (i != axis) row.shape[i] = number(1);
  const OutletId shaped = wireOne(id, Op::reshape, {numbers}, NoAttributes{}, row);
  local_[output.index] = wireOne(id, Op::broadcast, {shaped}, NoAttributes{}, factOf(output, frames_));
}

void StageModel::addConstant(OutletId id) {
  const Node& from = main_.main().producer(id);
  local_[id.index] =
      wireOne(main_.main()[id].node, Op::copy, {constant(from.constant)}, NoAttributes{}, main_.main()[id].fact);
}

std::optional<std::string> StageModel::addNode(NodeId id, std::optional<std::uint32_t> state) {
  const Node& from = node(id);
  const bool isFixed = std::none_of(from.outputs.begin(), from.outputs.end(),
                                    [&](OutletId output) { return flow(output).arrival == Arrival::frames; });
  const bool readsFrames = std::any_of(from.inputs.begin(), from.inputs.end(),
                                       [&](OutletId input) { return flow(input).arrival == Arrival::frames; });
  if (!from.runSizes.empty() || !from.after.empty())
    wrong_ = "a size of its result is known only in the run";
  else if (isFixed && readsFrames)  // a slice, whose source is exactly its frames
    local_[from.outputs[0].index] =
        wireOne(id, Op::copy, {operand(id, 0)}, NoAttributes{}, main_.main()[from.outputs[0]].fact);
  else if (from.op == Op::guard)
    local_[from.outputs[0].index] = operand(id, 0);
  else if (isFixed)
    addPlain(id);
  else if (from.op == Op::conv)
    addConv(id);
  else if (from.op == Op::maxPool || from.op == Op::avgPool)
    addPool(id);
  else if (from.op == Op::pad)
    addPad(id);
  else if (state)
    addRunning(id, *state);
  else if (from.op == Op::loop && analysis_.carriesState[id.index])
    addLoop(id);
  else if (from.op == Op::overlapAdd)
    addOverlapAdd(id);
  else if (from.op == Op::iota)
    addIota(id);
  else
    addPlain(id);
  return wrong_.empty() ? std::nullopt : std::optional(wrong_);
}

void StageModel::addSink(OutletId output, StageSink sink) {
  stage_.model.graphs.front().outputs.push_back(local_.at(output.index));
  stage_.model.outputNames.push_back("out." + std::to_string(stage_.sinks.size()));
  stage_.sinks.push_back(sink);
}

tl::expected<StreamStage, std::string> StageModel::finish() && {
  Graph& graph = stage_.model.graphs.front();
  const auto frames = main_.dims->asVariable(frames_);
  const auto mentions = [&](const Fact& fact) {
    return std::any_of(fact.shape.begin(), fact.shape.end(), [&](Dim d) {
      const auto variables = main_.dims->variables(d);
      return std::find(variables.begin(), variables.end(), *frames) != variables.end();
    });
  };
  const bool isTold =
      std::any_of(graph.inputs.begin(), graph.inputs.end(), [&](OutletId id) { return mentions(graph[id].fact); });
  const bool isOpen =
      std::any_of(graph.outlets.begin(), graph.outlets.end(), [&](const Outlet& o) { return mentions(o.fact); });
  if (isOpen && !isTold) {
    StageSource count;
    count.kind = SourceKind::count;
    input(count, Fact{Elem::i64, {frames_}, {}});
  }
  if (auto wrong = verify(stage_.model)) return tl::unexpected("its stage does not hold: " + *wrong);
  return std::move(stage_);
}

}  // namespace axle::ir
