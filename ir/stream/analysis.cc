#include "ir/stream/analysis.h"

#include <algorithm>
#include <numeric>

#include "dims/arithmetic.h"
#include "ir/ops/table.h"
#include "ir/stream/frame_bodies.h"
#include "ir/stream/state.h"

namespace axle::ir {

std::int64_t FrameWindow::lowest(std::int64_t frame) const { return floorDiv(frame * stride + first, spread); }
std::int64_t FrameWindow::highest(std::int64_t frame) const { return floorDiv(frame * stride + last, spread); }

std::int64_t countKnown(const std::vector<std::int64_t>& known, std::int64_t n) {
  return std::upper_bound(known.begin(), known.end(), n) - known.begin();
}

namespace {

using stream::begin;
using stream::findSymbols;
using stream::lengthsAlong;
using stream::measure;
using stream::numberOf;
using stream::printed;
using stream::sizesText;
using stream::State;
using stream::streamedAxes;
using stream::valueAt;
using stream::worksFrameByFrame;

constexpr std::int64_t firstHorizon = 64, mostHorizon = 1 << 16;

bool mentionsStream(const State& s, Dim d) { return stream::mentionsStream(s.model, s.question, d); }

// ---- nodes

void block(State& s, NodeId node, BlockerKind kind, std::string why) {
  for (const Blocker& known : s.out.blockers)
    if (known.node == node) return;
  s.out.blockers.push_back({node, {kind, std::move(why)}});
}

// An operand that is known after some frames, and the first frame of the result that needs it.
struct EarlyOperand {
  std::int64_t first = 0, after = 0;
};

// Returns when operands are known that do not arrive in frames. In a concatenation along the stream, the operands in
// front of the stream are needed from their own position on; operands behind it arrive at the end and are left out.
std::vector<EarlyOperand> earlyOperands(State& s, const Node& node, std::size_t axis) {
  const bool joins = node.op == Op::concat && as<AxisAttributes>(node).axis == axis;
  std::vector<EarlyOperand> all;
  std::int64_t first = 0;
  for (OutletId input : node.inputs) {
    const Flow& from = s.out.flows[input.index];
    if (joins && from.arrival == Arrival::frames) break;
    all.push_back({first, from.after});
    if (!joins) continue;
    const auto size = numberOf(s, s.graph[input].fact.shape[axis], [](std::int64_t) { return true; });
    first += size.value_or(0);
  }
  return all;
}

// Returns Flow::known of a tensor. Besides its operands' frames, a frame needs certainty that every sequence that
// continues has it.
std::vector<std::int64_t> knownFrames(State& s, const Node& node, const Fact& fact, std::size_t axis,
                                      const std::vector<FrameWindow>& windows) {
  std::vector<std::int64_t> known;
  const auto lengths = lengthsAlong(s, fact.shape[axis]);
  if (!lengths) return known;
  std::int64_t n = 0;
  const std::vector<EarlyOperand> early = earlyOperands(s, node, axis);
  const auto horizon = static_cast<std::int64_t>(lengths->sure.size());
  for (std::int64_t frame = 0;; ++frame) {
    for (const EarlyOperand& operand : early)
      if (operand.first <= frame) n = std::max(n, operand.after);
    while (n < horizon && lengths->sure[static_cast<std::size_t>(n)] <= frame) ++n;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      const Flow& from = s.out.flows[node.inputs[k].index];
      if (from.arrival != Arrival::frames) continue;
      const std::int64_t last = windows[k].highest(frame);
      if (last < 0) continue;
      if (last >= static_cast<std::int64_t>(from.known.size())) return known;
      n = std::max(n, from.known[static_cast<std::size_t>(last)]);
    }
    if (n >= horizon) return known;
    known.push_back(n);
  }
}

// Whether a bounded number of an operand's frames must be kept: the largest number that waits at a time does not grow.
bool isBounded(State& s, const Flow& from, const Flow& to, const FrameWindow& window) {
  std::int64_t early = 0, late = 0;
  for (std::size_t frame = 0; frame < to.known.size(); ++frame) {
    const std::int64_t n = to.known[frame];
    const std::int64_t kept = countKnown(from.known, n) - window.lowest(static_cast<std::int64_t>(frame));
    std::int64_t& most = 2 * frame < to.known.size() ? early : late;
    most = std::max(most, kept);
  }
  if (late <= early) return true;
  s.isSettled = false;
  return false;
}

bool isRunning(const Node& node) {
  switch (node.op) {
    case Op::cumSum:
    case Op::cumProd:
    case Op::cumMax:
    case Op::cumMin:
      return !as<ScanAttributes>(node).reverse;
    case Op::loop:
      return true;
    default:
      return false;
  }
}

// Returns the window of a link along the stream, in numbers, or the reason why it has none.
tl::expected<FrameWindow, Obstacle> frameWindow(State& s, const AxisWindow& window, Dim result, Dim operand) {
  const auto number = [&](Dim d) {
    return numberOf(s, d, [&](std::int64_t symbol) { return valueAt(s, result, symbol).value_or(1) > 0; });
  };
  const auto stride = number(window.stride), spread = number(window.spread), size = number(window.size),
             dilation = number(window.dilation), before = number(window.before);
  const auto depends = [&](Dim d) { return mentionsStream(s, d); };
  const auto obstacle = [](BlockerKind kind, std::string why) {
    return tl::unexpected(Obstacle{kind, std::move(why)});
  };
  if (!size && depends(window.size))
    return obstacle(BlockerKind::needsAll, "each of its results is computed from all of " + sizesText(s, operand));
  if (stride && *stride < 0)
    return obstacle(BlockerKind::backwards,
                    "it runs backwards: its first result is computed from the end of " + sizesText(s, operand));
  if (const auto far = valueAt(s, window.before, s.horizon); !before && far && *far < 0)
    return obstacle(BlockerKind::fromEnd, "its first results are computed from the end of " + sizesText(s, operand));
  if (!before && depends(window.before))
    return obstacle(BlockerKind::padding, "the padding in front, " + printed(s, window.before) +
                                              ", depends on the length of the whole " + sizesText(s, operand) +
                                              ": pad by a number, or choose a window for which `same` pads alike");
  for (const auto& [value, dim] :
       {std::pair(stride, window.stride), std::pair(spread, window.spread), std::pair(size, window.size),
        std::pair(dilation, window.dilation), std::pair(before, window.before)})
    if (!value)
      return obstacle(BlockerKind::openWindow,
                      "its window along the stream has a size that is not a number: " + printed(s, dim));
  if (*stride < 1 || *spread < 1 || *size < 1 || *dilation < 1)
    return obstacle(BlockerKind::openWindow, "its window along the stream is empty");
  return FrameWindow{*stride, *spread, *spread - 1 - *before, (*size - 1) * *dilation - *before};
}

// Returns the flow of a slice of a fixed number of frames at the begin or the end of the stream.
std::optional<Flow> fixedSlice(State& s, NodeId id, const Node& node, const Flow& from) {
  const auto* slice = std::get_if<SliceAttributes>(&node.attributes);
  if (node.op != Op::slice || slice->axis != from.axis) return std::nullopt;
  const auto always = [](std::int64_t) { return true; };
  const Dim length = s.graph[node.inputs[0]].fact.shape[from.axis];
  const auto count = numberOf(s, s.graph[node.outputs[0]].fact.shape[from.axis], always);
  const auto step = numberOf(s, slice->step, always);
  if (!count || step != 1) return std::nullopt;
  Flow flow;
  flow.isBlocked = from.isBlocked;
  if (const auto start = numberOf(s, slice->start, always)) {
    const std::int64_t last = *start + *count - 1;
    if (*start < 0 || last >= static_cast<std::int64_t>(from.known.size())) return std::nullopt;
    flow.arrival = Arrival::early;
    flow.after = last < 0 ? 0 : from.known[static_cast<std::size_t>(last)];
    return flow;
  }
  if (!numberOf(s, s.model.dims->sub(length, slice->start), always)) return std::nullopt;
  flow.arrival = Arrival::atTheEnd;
  flow.origin = id;
  return flow;
}

// Whether sizes that no window describes depend on the stream: attributes, and sizes within bodies.
bool hidesStream(State& s, const Node& node) {
  bool hidden = false;
  if (node.op != Op::conv && node.op != Op::maxPool && node.op != Op::avgPool && node.op != Op::pad &&
      node.op != Op::slice) {
    Attributes attributes = node.attributes;
    changeSizes(attributes, [&](Dim& d) { hidden |= mentionsStream(s, d); });
  }
  for (GraphId body : node.bodies)
    for (const Node& inner : s.model.graphs[body.index].nodes) {
      Attributes attributes = inner.attributes;
      changeSizes(attributes, [&](Dim& d) { hidden |= mentionsStream(s, d); });
      for (OutletId id : inner.outputs) hidden |= !streamedAxes(s, s.model.graphs[body.index][id].fact).empty();
      hidden = hidden || hidesStream(s, inner);
    }
  return hidden;
}

// Returns the flow of a tensor that is known when all operands are.
Flow joined(const State& s, const Node& node) {
  Flow flow;
  for (OutletId id : node.inputs) {
    const Flow& from = s.out.flows[id.index];
    flow.isBlocked |= from.isBlocked;
    if (from.arrival == Arrival::early && flow.arrival == Arrival::atOnce) flow.arrival = Arrival::early;
    flow.after = std::max(flow.after, from.after);
    if (from.arrival != Arrival::atTheEnd) continue;
    flow.arrival = Arrival::atTheEnd;
    flow.origin = from.origin;
  }
  return flow;
}

// Returns the flow behind a blocker, as if its result streamed if it has a streamed size.
Flow recovered(State& s, const Node& node, OutletId output) {
  const Fact& fact = s.graph[output].fact;
  const auto axes = streamedAxes(s, fact);
  Flow flow;
  flow.isBlocked = true;
  if (axes.empty()) return flow;
  flow.arrival = Arrival::frames;
  flow.axis = axes.front();
  Node alone = node;
  alone.inputs.clear();
  flow.known = knownFrames(s, alone, fact, flow.axis, {});
  return flow;
}

// Returns the flow of a node none of whose operands arrives in frames.
Flow flowOfFixed(State& s, NodeId id, const Node& node, OutletId output) {
  Flow flow = joined(s, node);
  const Fact& fact = s.graph[output].fact;
  const auto axes = streamedAxes(s, fact);
  if (axes.empty()) {
    if (!hidesStream(s, node) && !(node.op == Op::slice && mentionsStream(s, as<SliceAttributes>(node).start)))
      return flow;
    flow.arrival = Arrival::atTheEnd;
    flow.origin = id;
    return flow;
  }
  const bool canGenerate = node.op == Op::iota || node.op == Op::broadcast;
  if (flow.arrival == Arrival::atTheEnd || axes.size() > 1 || !canGenerate) {
    block(s, flow.arrival == Arrival::atTheEnd ? flow.origin : id, BlockerKind::needsLength,
          "its result needs the length of the whole " + sizesText(s, fact.shape[axes.front()]));
    return recovered(s, node, output);
  }
  flow.known = knownFrames(s, node, fact, axes.front(), std::vector<FrameWindow>(node.inputs.size()));
  flow.arrival = Arrival::frames;
  flow.after = 0;
  flow.axis = axes.front();
  return flow;
}

// Finds the window of each operand along the stream, or returns the reason why there is none.
std::optional<Obstacle> findWindows(State& s, NodeId id, std::size_t slot, std::size_t axis,
                                    std::vector<FrameWindow>& windows) {
  const Node& node = s.graph[id];
  if (worksFrameByFrame(s.model, s.question, s.graph, node)) return std::nullopt;
  const AxisMap map = axes(s.model, s.graph, node);
  const Dim result = s.graph[node.outputs[slot]].fact.shape[axis];
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    const Flow& from = s.out.flows[node.inputs[k].index];
    if (from.arrival != Arrival::frames) continue;
    const Dim operand = s.graph[node.inputs[k]].fact.shape[from.axis];
    const auto link = std::find_if(map.links.begin(), map.links.end(), [&](const AxisLink& l) {
      return l.output == slot && l.outputAxis == axis && l.from.input == k && l.from.axis == from.axis;
    });
    if (link == map.links.end())
      return Obstacle{BlockerKind::mixes, "each of its results may be computed from all of " + sizesText(s, operand)};
    if (!link->window) continue;
    if (isRunning(node) && mentionsStream(s, link->window->size)) {
      s.out.carriesState[id.index] = true;
      continue;
    }
    auto window = frameWindow(s, *link->window, result, operand);
    if (!window) return window.error();
    windows[k] = *window;
  }
  return std::nullopt;
}

// Says which operands the frames of operand `waiting` wait for, more and more of them.
std::string starvingText(State& s, const Node& node, std::size_t waiting) {
  const auto named = [&](std::size_t k) {
    const Node& producer = s.graph.producer(node.inputs[k]);
    const auto at = std::find(s.graph.inputs.begin(), s.graph.inputs.end(), node.inputs[k]);
    if (at != s.graph.inputs.end())
      return "`" + s.model.inputNames[static_cast<std::size_t>(at - s.graph.inputs.begin())] + "`";
    return producer.names.empty() ? "operand " + std::to_string(k + 1) : "`" + producer.names.front() + "`";
  };
  std::string others;
  for (std::size_t k = 0; k < node.inputs.size(); ++k)
    if (k != waiting && s.out.flows[node.inputs[k].index].arrival == Arrival::frames)
      others += (others.empty() ? "" : ", ") + named(k);
  return "more and more frames of " + named(waiting) + " wait" +
         (others.empty() ? std::string(" in it") : " for those of " + others + ", which starves: it has too few");
}

// Returns the obstacle if an operand is known too late, and sets `blamed` to the node that makes it.
std::optional<Obstacle> lateOperands(const State& s, const Node& node, std::size_t axis, NodeId& blamed) {
  const bool joins = node.op == Op::concat && as<AxisAttributes>(node).axis == axis;
  bool isBehind = false;  // behind the stream
  for (OutletId id : node.inputs) {
    const Flow& from = s.out.flows[id.index];
    isBehind = isBehind || (joins && from.arrival == Arrival::frames);
    if (from.arrival != Arrival::atTheEnd || isBehind) continue;
    blamed = from.origin;
    return Obstacle{BlockerKind::late, "its result is known only at the end of the stream, and is needed earlier"};
  }
  return std::nullopt;
}

bool joinsStreams(const State& s, const Node& node, std::size_t axis) {
  const auto isFrames = [&](OutletId id) { return s.out.flows[id.index].arrival == Arrival::frames; };
  return node.op == Op::concat && as<AxisAttributes>(node).axis == axis &&
         std::count_if(node.inputs.begin(), node.inputs.end(), isFrames) > 1;
}

void followNode(State& s, NodeId id) {
  const Node& node = s.graph[id];
  const auto isFrames = [&](OutletId input) { return s.out.flows[input.index].arrival == Arrival::frames; };
  const auto streamed = std::find_if(node.inputs.begin(), node.inputs.end(), isFrames);
  s.out.windows[id.index].assign(node.inputs.size(), {});
  for (std::size_t slot = 0; slot < node.outputs.size(); ++slot) {
    const OutletId output = node.outputs[slot];
    Flow& flow = s.out.flows[output.index];
    if (streamed == node.inputs.end()) {
      flow = flowOfFixed(s, id, node, output);
      continue;
    }
    const Flow& first = s.out.flows[streamed->index];
    const Fact& fact = s.graph[output].fact;
    const auto axes = streamedAxes(s, fact);
    if (axes.empty()) {
      const Dim operand = s.graph[*streamed].fact.shape[first.axis];
      if (auto fixed = fixedSlice(s, id, node, first)) {
        flow = std::move(*fixed);
      } else if ((node.op == Op::loop && slot < as<LoopAttributes>(node).states) ||
                 worksFrameByFrame(s.model, s.question, s.graph, node)) {
        flow.arrival = Arrival::atTheEnd;  // no error as long as nothing needs it
        flow.origin = id;
      } else {
        block(s, id, BlockerKind::needsAll, "its result is computed from all of " + sizesText(s, operand));
        flow.isBlocked = true;
      }
      continue;
    }
    NodeId blamed = id;
    std::optional<Obstacle> wrong;
    std::vector<FrameWindow> windows(node.inputs.size());
    if (axes.size() > 1)
      wrong = {BlockerKind::twoAxes,
               "more than one dimension of its result depends on " + sizesText(s, fact.shape[axes.front()])};
    if (!wrong && joinsStreams(s, node, axes.front()))
      wrong = {BlockerKind::secondStream, "one stream would have to end before the other one begins"};
    if (!wrong) wrong = findWindows(s, id, slot, axes.front(), windows);
    if (!wrong) wrong = lateOperands(s, node, axes.front(), blamed);
    if (!wrong && hidesStream(s, node) && !worksFrameByFrame(s.model, s.question, s.graph, node))
      wrong = {BlockerKind::needsLength, "it needs the length of the whole stream"};
    if (!wrong) {
      flow = joined(s, node);
      flow.arrival = Arrival::frames;
      flow.axis = axes.front();
      flow.known = knownFrames(s, node, fact, flow.axis, windows);
      flow.after = 0;
      for (std::size_t k = 0; k < node.inputs.size() && !wrong; ++k)
        if (const Flow& from = s.out.flows[node.inputs[k].index];
            from.arrival == Arrival::frames && !isBounded(s, from, flow, windows[k]))
          wrong = {BlockerKind::starving, starvingText(s, node, k)};
    }
    if (wrong) {
      block(s, blamed, wrong->kind, wrong->why);
      flow = recovered(s, node, output);
    }
    s.out.windows[id.index] = std::move(windows);
  }
}

// ---- inputs and results

std::optional<StreamedInput> streamedInput(State& s, std::size_t input) {
  const Fact& fact = s.graph[s.graph.inputs[input]].fact;
  const auto axes = streamedAxes(s, fact);
  if (axes.empty()) return std::nullopt;
  return StreamedInput{input, axes.front(), 1, 1};
}

// Sets the flow of a streamed input, which has `rate` frames for `per` frames of the first one.
void feedInput(State& s, StreamedInput& port) {
  const OutletId outlet = s.graph.inputs[port.input];
  const NodeId node = s.graph[outlet].node;
  const auto axes = streamedAxes(s, s.graph[outlet].fact);
  const Dim length = s.graph[outlet].fact.shape[port.axis];
  Flow& flow = s.out.flows[outlet.index];
  flow.arrival = Arrival::frames;
  flow.axis = port.axis;
  const auto lengths = lengthsAlong(s, length);
  if (axes.size() > 1 || !lengths) {
    block(s, node, axes.size() > 1 ? BlockerKind::twoAxes : BlockerKind::unknownRate,
          axes.size() > 1 ? "two dimensions of it are streamed"
                          : "the rate of " + sizesText(s, length) + " to the first streamed input is not known");
    flow.isBlocked = true;
    return;
  }
  const auto growth = growthOf(lengths->sure);
  if (!growth || growth->step <= 0) {
    s.isSettled = false;
    return;
  }
  const std::int64_t divisor = std::gcd(growth->period, growth->step);
  port.rate = growth->step / divisor, port.per = growth->period / divisor;
  for (std::int64_t frame = 0;; ++frame) {
    const std::int64_t n = ceilDiv((frame + 1) * port.per, port.rate);
    if (n >= s.horizon) return;
    flow.known.push_back(n);
  }
}

void measureOutputs(State& s) {
  for (OutletId output : s.graph.outputs) {
    const Flow& flow = s.out.flows[output.index];
    const Fact& fact = s.graph[output].fact;
    if (flow.isBlocked) continue;
    if (flow.arrival != Arrival::frames) {
      block(s, flow.arrival == Arrival::atTheEnd ? flow.origin : s.graph[output].node, BlockerKind::noFrames,
            "it is a result of the model and has no streamed dimension");
      continue;
    }
    if (auto measured = measure(s, flow, fact.shape[flow.axis]))
      s.out.outputs.push_back(*measured);
    else
      block(s, s.graph[output].node, measured.error().kind, measured.error().why);
  }
}

// Analyses the model up to the horizon. Returns false if the horizon is too near: the model remembers more frames.
bool analyse(State& s, std::int64_t horizon) {
  s.out = {};
  s.isSettled = true;
  s.out.horizon = horizon;
  s.out.flows.resize(s.graph.outlets.size());
  s.out.windows.resize(s.graph.nodes.size());
  s.out.carriesState.resize(s.graph.nodes.size());
  for (std::size_t i = 0; i < s.graph.inputs.size(); ++i)
    if (auto port = streamedInput(s, i)) s.out.inputs.push_back(*port);
  const OutletId first = s.graph.inputs[s.out.inputs.front().input];
  if (!findSymbols(s, s.graph[first].fact.shape[s.out.inputs.front().axis], horizon)) {
    block(s, s.graph[first].node, BlockerKind::noRule, "its length does not grow with its symbol");
    return true;
  }
  for (StreamedInput& port : s.out.inputs) feedInput(s, port);
  const auto order = topologicalOrder(s.graph);
  if (!order) return true;
  for (NodeId id : *order)
    if (s.graph[id].op != Op::input) followNode(s, id);
  measureOutputs(s);
  return s.isSettled;
}

bool hasStreamedInput(const Model& model, const StreamQuestion& question) {
  const Graph& graph = model.main();
  return std::any_of(graph.inputs.begin(), graph.inputs.end(), [&](OutletId input) {
    const auto& shape = graph[input].fact.shape;
    return std::any_of(shape.begin(), shape.end(), [&](Dim d) { return stream::mentionsStream(model, question, d); });
  });
}

}  // namespace

std::optional<StreamAnalysis> analyseStream(const Model& model, const StreamQuestion& question) {
  if (!hasStreamedInput(model, question)) return std::nullopt;
  State s = begin(model, question);
  for (std::int64_t horizon = firstHorizon; !analyse(s, horizon) && horizon < mostHorizon;) horizon *= 4;
  return std::move(s.out);
}

}  // namespace axle::ir
