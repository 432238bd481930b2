#include "ir/stream/network.h"

#include <algorithm>
#include <map>

#include "dims/arithmetic.h"
#include "ir/ops/table.h"
#include "ir/stream/outside.h"
#include "ir/stream/partial_sums.h"
#include "ir/stream/stage_model.h"
#include "ir/stream/stages.h"
#include "ir/stream/told_sizes.h"

namespace axle::ir {

namespace {

// ---- the network

class Builder {
 public:
  Builder(const Model& model, const StreamQuestion& question, const StreamAnalysis& analysis, const SumPlans& sums)
      : model_(model),
        graph_(model.main()),
        question_(question),
        analysis_(analysis),
        sums_(sums),
        stages_(makeStages(model, analysis, sums)),
        bufferOf_(graph_.outlets.size(), Stages::none),
        slotOf_(graph_.outlets.size(), Stages::none) {}

  std::optional<Blocker> build();
  // After `build`: the nodes for which sums need less state, and the approximate size of the state.
  SumPlans betterPlans();
  double stateBytes() const;
  StreamNetwork take() && { return std::move(out_); }

 private:
  std::uint32_t newBuffer(OutletId id);
  std::optional<std::vector<std::byte>> outsideOf(NodeId node, std::size_t input);
  std::uint32_t bufferWith(OutletId base, const std::optional<std::vector<std::byte>>& outside);
  void findReaders();
  void addInputs();
  void addJoins();
  bool addStage(std::uint32_t stage);
  bool addSums(NodeId node, const SumPlan& plan);
  void measureHistory();
  StageSource source(StageModel& stage, NodeId node, std::size_t input);
  StageSource fixedSource(OutletId id);
  void block(NodeId node, std::string why) {
    if (!blocker_) blocker_ = Blocker{node, {BlockerKind::noBuffer, std::move(why)}};
  }

  const Model& model_;
  const Graph& graph_;
  const StreamQuestion& question_;
  const StreamAnalysis& analysis_;
  const SumPlans& sums_;
  Stages stages_;
  StreamNetwork out_;
  std::vector<std::uint32_t> bufferOf_, slotOf_;  // by outlet
  std::vector<bool> isShared_;                    // by outlet: read by another stage, or a result
  struct Reader {
    OutletId done;  // its frames tell the reader's progress
    FrameWindow window;
    std::optional<NodeId> node;  // the node whose first operand are the frames
    bool adds = false;           // whether it adds frames to sums as they arrive

    // Returns the first of its frames that is not computed after n frames of the stream.
    std::int64_t next(const StreamAnalysis& analysis, std::int64_t made, std::int64_t n) const;
  };
  // A source of shares that are added to a buffer of sums.
  struct Adder {
    OutletId from;
    SharesStage shares;
  };
  const std::vector<std::int64_t>& knownOf(std::size_t buffer) const {
    return analysis_.flows[outletOf_[buffer].index].known;
  }
  double frameBytes(OutletId id) const;
  // Returns the end of a buffer's frames that are known or begun after n frames of the stream.
  std::int64_t heldAfter(std::size_t buffer, std::int64_t n) const;
  std::int64_t historyOf(std::size_t buffer, const Reader& reader) const;
  // By buffer:
  std::vector<OutletId> outletOf_;
  std::vector<std::vector<Reader>> readers_;
  std::vector<std::vector<Adder>> adders_;
  std::vector<std::int64_t> kept_;  // frames at the begin or the end that slices of fixed frames read
  std::vector<bool> hasFill_;       // whether a reader reads outside of it
  std::map<std::pair<std::uint32_t, std::vector<std::byte>>, std::uint32_t> copies_;  // by outlet and fill
  std::optional<Blocker> blocker_;
};

std::uint32_t Builder::newBuffer(OutletId id) {
  const Flow& flow = analysis_.flows[id.index];
  FrameBuffer buffer;
  buffer.axis = flow.axis;
  buffer.fill.resize(info(graph_[id].fact.elem).bytes);
  if (const auto lengths = lengthsOf(model_, question_, analysis_, graph_[id].fact.shape[flow.axis])) {
    std::vector<std::int64_t> length = lengths->length;
    for (std::size_t n = 0; n < length.size(); ++n)
      if (length[n] < 0) length[n] = lengths->sure[n];  // unused: a batch run refuses this length
    const auto sure = scheduleOf(lengths->sure), whole = scheduleOf(length);
    if (sure && whole) buffer.sure = *sure, buffer.length = *whole;
  }
  if (buffer.sure.first.empty()) block(graph_[id].node, "the number of its frames follows no rule that could be found");
  out_.buffers.push_back(std::move(buffer));
  outletOf_.push_back(id);
  readers_.emplace_back();
  adders_.emplace_back();
  kept_.push_back(0);
  hasFill_.push_back(false);
  return bufferOf_[id.index] = static_cast<std::uint32_t>(out_.buffers.size() - 1);
}

// Marks the tensors that leave their stage.
void Builder::findReaders() {
  isShared_.assign(graph_.outlets.size(), false);
  for (OutletId id : graph_.outputs) isShared_[id.index] = true;
  for (std::uint32_t n = 0; n < graph_.nodes.size(); ++n) {
    const NodeId id{n};
    const Node& node = graph_[id];
    if (!stages_.isLive[n] || stages_.isAlias[n]) continue;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      const OutletId base = frameReference(graph_, analysis_, stages_, node.inputs[k]).base;
      const std::uint32_t from = stages_.of[graph_[base].node.index];
      const bool isInside = from != Stages::none && from == stages_.of[n] && base == node.inputs[k] &&
                            (analysis_.flows[base.index].arrival != Arrival::frames ||
                             (analysis_.windows[n][k].isOneToOne() && !readsOutside(model_, analysis_, id, k)));
      if (!isInside) isShared_[base.index] = true;
    }
  }
}

// Returns the element that a node reads in front of an operand's first frame and behind its last one; nothing if it
// does not read there.
std::optional<std::vector<std::byte>> Builder::outsideOf(NodeId id, std::size_t input) {
  const Node* reader = readsOutside(model_, analysis_, id, input) ? &graph_[id] : nullptr;
  for (NodeId at = graph_[graph_[id].inputs[input]].node; !reader && stages_.isAlias[at.index];
       at = graph_[graph_[at].inputs[0]].node)
    if (graph_[at].op == Op::pad) reader = &graph_[at];
  if (!reader) return std::nullopt;
  auto fill = fillOf(model_, *reader);
  if (!fill) block(id, "it pads with a value that is not a constant");
  return fill;
}

// Returns the buffer of a tensor with this element outside. Makes a copy of the buffer for each further element.
std::uint32_t Builder::bufferWith(OutletId base, const std::optional<std::vector<std::byte>>& outside) {
  const std::uint32_t first = bufferOf_[base.index];
  if (!outside || (hasFill_[first] && out_.buffers[first].fill == *outside)) return first;
  if (!hasFill_[first]) {
    hasFill_[first] = true;
    out_.buffers[first].fill = *outside;
    return first;
  }
  const auto [known, isNew] = copies_.try_emplace({base.index, *outside}, 0);
  if (!isNew) return known->second;
  known->second = newBuffer(base);
  bufferOf_[base.index] = first;
  FrameBuffer& copy = out_.buffers[known->second];
  copy.fill = *outside;
  StageSource whole;
  whole.kind = SourceKind::window;
  whole.index = first;
  copy.pieces.push_back(whole);
  readers_[first].push_back({base, {}, {}});
  return known->second;
}

void Builder::addInputs() {
  for (const StreamedInput& input : analysis_.inputs) {
    const OutletId id = graph_.inputs[input.input];
    const std::uint32_t buffer = newBuffer(id);
    out_.buffers[buffer].input = input.input;
  }
}

// Returns the source of a tensor that does not arrive in frames: an input, or a slot. A constant gets a slot and a
// stage that fills it.
StageSource Builder::fixedSource(OutletId id) {
  StageSource source;
  const Node& producer = graph_.producer(id);
  if (producer.op == Op::input) {
    const auto at = std::find(graph_.inputs.begin(), graph_.inputs.end(), id);
    source.index = static_cast<std::uint32_t>(at - graph_.inputs.begin());
    return source;
  }
  source.kind = SourceKind::slot;
  if (producer.op == Op::constant && slotOf_[id.index] == Stages::none) {
    slotOf_[id.index] = out_.slots++;
    StageModel stage(model_, analysis_, out_.frames);
    stage.addConstant(id);
    stage.addSink(id, {SinkKind::fillSlot, slotOf_[id.index]});
    if (auto made = std::move(stage).finish())
      out_.stages.push_back(std::move(*made));
    else
      block(graph_[id].node, made.error());
  }
  source.index = slotOf_[id.index];
  return source;
}

// Returns the source from which a stage reads an operand of a node.
StageSource Builder::source(StageModel& stage, NodeId id, std::size_t input) {
  const OutletId outlet = graph_[id].inputs[input];
  const Flow& flow = analysis_.flows[outlet.index];
  StageSource source;
  if (flow.arrival != Arrival::frames) return fixedSource(outlet);
  const FrameReference reference = frameReference(graph_, analysis_, stages_, outlet);
  source.index = bufferWith(reference.base, outsideOf(id, input));
  const OutletId done = frameOutput(analysis_, graph_[id]);
  const Flow& result = analysis_.flows[done.index];
  if (result.arrival != Arrival::frames) {  // a slice of fixed frames
    const bool isEarly = result.arrival == Arrival::early;
    const auto& slice = as<SliceAttributes>(graph_[id]);
    const auto number = [&](Dim d) { return numberFor(model_, question_, analysis_, d).value_or(0); };
    source.kind = isEarly ? SourceKind::begin : SourceKind::end;
    source.last = number(graph_[graph_[id].outputs[0]].fact.shape[flow.axis]);
    source.first =
        isEarly ? number(slice.start) + reference.offset
                : number(model_.dims->sub(graph_[reference.base].fact.shape[flow.axis],
                                          model_.dims->add(slice.start, model_.dims->constant(reference.offset))));
    kept_[source.index] = std::max(kept_[source.index], isEarly ? source.first + source.last : source.first);
    return source;
  }
  source.kind = SourceKind::window;
  const FrameWindow window = stage.windowOf(id, input);
  source.stride = window.stride, source.spread = window.spread;
  source.first = window.first + reference.offset * window.spread;
  source.last = window.last + reference.offset * window.spread;
  readers_[source.index].push_back({done, FrameWindow{source.stride, source.spread, source.first, source.last},
                                    input == 0 ? std::optional(id) : std::nullopt});
  return source;
}

// Adds the stages that keep sums for a node.
bool Builder::addSums(NodeId id, const SumPlan& plan) {
  const OutletId outlet = graph_[id].inputs[0], result = graph_[id].outputs[0];
  const FrameReference reference = frameReference(graph_, analysis_, stages_, outlet);
  const std::vector<std::byte> zero(info(graph_[outlet].fact.elem).bytes);
  const std::uint32_t sums = newBuffer(result);
  for (const SharesStage& shares : plan.stages) {
    const FrameWindow& window = shares.window;
    StageSource source;
    source.kind = SourceKind::window;
    source.index = bufferWith(reference.base, window.first < window.last ? std::optional(zero) : std::nullopt);
    source.stride = window.stride, source.first = window.first, source.last = window.last;
    readers_[source.index].push_back({result, window, {}, true});
    adders_[sums].push_back({reference.base, shares});
    StageModel stage(model_, analysis_, out_.frames);
    stage.addSource(id, 0, source);
    auto wrong = stage.addShares(id, shares, sums);
    auto made = wrong ? tl::expected<StreamStage, std::string>(tl::unexpect, *wrong) : std::move(stage).finish();
    if (!made) {
      block(id, made.error());
      return false;
    }
    out_.stages.push_back(std::move(*made));
  }
  return true;
}

bool Builder::addStage(std::uint32_t number) {
  StageModel stage(model_, analysis_, out_.frames);
  std::vector<NodeId> nodes;
  for (NodeId id : topologicalOrder(graph_).value_or(std::vector<NodeId>()))
    if (stages_.of[id.index] == number) nodes.push_back(id);
  if (const auto sums = sums_.find(nodes.front().index); sums != sums_.end())
    return addSums(nodes.front(), sums->second);
  for (NodeId id : nodes) {
    const Node& node = graph_[id];
    const bool isLoop = node.op == Op::loop && analysis_.carriesState[id.index];
    std::optional<std::uint32_t> running;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      if (isLoop && k < as<LoopAttributes>(node).states) {
        stage.addState(id, k, static_cast<std::uint32_t>(out_.states.size()));
        out_.states.push_back({fixedSource(node.inputs[k]), {}});
        continue;
      }
      if (stage.has(id, k) || graph_.producer(node.inputs[k]).op == Op::constant) continue;
      stage.addSource(id, k, source(stage, id, k));
    }
    if (!isLoop && analysis_.carriesState[id.index]) {
      running = static_cast<std::uint32_t>(out_.states.size());
      out_.states.push_back({{}, neutral(node.op, graph_[node.outputs[0]].fact.elem)});
    }
    if (auto wrong = stage.addNode(id, running)) {
      block(id, *wrong);
      return false;
    }
  }
  for (NodeId id : nodes)
    for (OutletId output : graph_[id].outputs) {
      if (!isShared_[output.index]) continue;
      if (analysis_.flows[output.index].arrival == Arrival::frames) {
        stage.addSink(output, {SinkKind::append, newBuffer(output)});
      } else {
        slotOf_[output.index] = out_.slots++;
        stage.addSink(output, {SinkKind::fillSlot, slotOf_[output.index]});
      }
    }
  auto made = std::move(stage).finish();
  if (!made) {
    block(nodes.front(), made.error());
    return false;
  }
  if (made->scale != 0)  // frames are numbered as in the buffer that the stage reads
    for (OutletId input : graph_[nodes.front()].inputs)
      if (analysis_.flows[input.index].arrival == Arrival::frames)
        made->shift -= frameReference(graph_, analysis_, stages_, input).offset * made->scale;
  out_.stages.push_back(std::move(*made));
  return true;
}

// Adds buffers of the concatenations whose operands all have a buffer or a source.
void Builder::addJoins() {
  for (NodeId id : topologicalOrder(graph_).value_or(std::vector<NodeId>())) {
    const Node& node = graph_[id];
    if (!stages_.isLive[id.index] || node.outputs.empty() || !isJoin(analysis_, node)) continue;
    if (bufferOf_[node.outputs[0].index] != Stages::none) continue;
    bool isReady = true;
    for (OutletId input : node.inputs)
      isReady = isReady && (bufferOf_[input.index] != Stages::none || slotOf_[input.index] != Stages::none ||
                            graph_.producer(input).op == Op::input || graph_.producer(input).op == Op::constant);
    if (!isReady) continue;
    const std::uint32_t buffer = newBuffer(node.outputs[0]);
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      const OutletId input = node.inputs[k];
      StageSource piece;
      if (analysis_.flows[input.index].arrival == Arrival::frames) {
        piece.kind = SourceKind::window;
        piece.index = bufferOf_[input.index];
        readers_[piece.index].push_back({node.outputs[0], analysis_.windows[id.index][k], {}});
      } else {
        piece = fixedSource(input);
      }
      out_.buffers[buffer].pieces.push_back(piece);
    }
  }
}

std::int64_t Builder::Reader::next(const StreamAnalysis& analysis, std::int64_t made, std::int64_t n) const {
  if (adds) return std::max<std::int64_t>(0, floorDiv(made - 1 - window.last, window.stride) + 1);
  return countKnown(analysis.flows[done.index].known, n);
}

std::int64_t Builder::heldAfter(std::size_t buffer, std::int64_t n) const {
  std::int64_t held = countKnown(knownOf(buffer), n);
  for (const Adder& adder : adders_[buffer]) {
    const std::int64_t made = countKnown(analysis_.flows[adder.from.index].known, n);
    const Reader reader{{}, adder.shares.window, {}, true};
    if (const std::int64_t next = reader.next(analysis_, made, n); next > 0)
      held = std::max(held, adder.shares.sink.endOfSums(next));
  }
  return held;
}

// Returns the largest number of frames that a reader reads again after a push, if each push brings one frame.
std::int64_t Builder::historyOf(std::size_t buffer, const Reader& reader) const {
  const auto &made = knownOf(buffer), &done = analysis_.flows[reader.done.index].known;
  const std::int64_t until = std::min(made.empty() ? 0 : made.back(), done.empty() ? 0 : done.back());
  std::int64_t most = 0;
  for (std::int64_t n = 0; n < until; ++n) {
    const std::int64_t next = reader.next(analysis_, countKnown(made, n), n);
    most = std::max(most, heldAfter(buffer, n) - std::max<std::int64_t>(reader.window.lowest(next), 0));
  }
  return most;
}

void Builder::measureHistory() {
  for (std::size_t b = 0; b < out_.buffers.size(); ++b) {
    std::int64_t most = kept_[b];
    for (const Reader& reader : readers_[b]) most = std::max(most, historyOf(b, reader));
    const auto& made = knownOf(b);
    for (std::int64_t n = 0; !adders_[b].empty() && !made.empty() && n < made.back(); ++n)
      most = std::max(most, heldAfter(b, n) - countKnown(made, n));
    out_.buffers[b].history = most;
  }
}

// Estimates the bytes of one frame. All unknown sizes count as the same number.
double Builder::frameBytes(OutletId id) const {
  constexpr std::int64_t unknown = 8;
  const Fact& fact = graph_[id].fact;
  auto bytes = static_cast<double>(info(fact.elem).bytes);
  for (std::size_t i = 0; i < fact.shape.size(); ++i)
    if (i != analysis_.flows[id.index].axis)
      bytes *= static_cast<double>(model_.dims->asConstant(fact.shape[i]).value_or(unknown));
  return bytes;
}

double Builder::stateBytes() const {
  double bytes = 0;
  for (std::size_t b = 0; b < out_.buffers.size(); ++b)
    bytes += static_cast<double>(out_.buffers[b].history) * frameBytes(outletOf_[b]);
  return bytes;
}

SumPlans Builder::betterPlans() {
  std::vector<FrameUse> uses;
  for (std::size_t b = 0; b < out_.buffers.size(); ++b) {
    FrameUse& use = uses.emplace_back();
    use.frameBytes = frameBytes(outletOf_[b]);
    if (kept_[b] > 0) use.readers.push_back({{}, kept_[b], 0, {}});
    for (const Reader& reader : readers_[b]) {
      FrameUse::Reader& found = use.readers.emplace_back();
      found.history = historyOf(b, reader);
      if (!reader.node) continue;
      found.node = *reader.node;
      found.sumBytes = frameBytes(reader.done);
      const auto outside = outsideOf(found.node, 0);
      const bool isZero = !outside || std::all_of(outside->begin(), outside->end(),
                                                  [](std::byte byte) { return byte == std::byte{0}; });
      const FrameReference reference = frameReference(graph_, analysis_, stages_, graph_[found.node].inputs[0]);
      if (isZero) found.plans = sumPlans(model_, analysis_, found.node, reference.offset);
    }
  }
  return choosePlans(uses);
}

std::optional<Blocker> Builder::build() {
  out_.frames = model_.dims->newVariable("frames");
  out_.inputs = analysis_.inputs;
  findReaders();
  addInputs();
  for (std::uint32_t stage : stages_.order) {
    addJoins();
    if (!addStage(stage)) return blocker_;
  }
  addJoins();
  for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
    const std::uint32_t buffer = bufferOf_[graph_.outputs[i].index];
    if (buffer == Stages::none) block(graph_[graph_.outputs[i]].node, "it gives an input as it is");
    out_.outputs.push_back({buffer, analysis_.outputs[i]});
  }
  measureHistory();
  return blocker_;
}

}  // namespace

tl::expected<StreamNetwork, Blocker> makeNetwork(const Model& model, const StreamQuestion& question,
                                                 const StreamAnalysis& analysis) {
  const auto told = [&](Builder& builder) {
    StreamNetwork network = std::move(builder).take();
    tellSizes(network, model);
    return network;
  };
  const SumPlans none;
  Builder frames(model, question, analysis, none);
  if (auto wrong = frames.build()) return tl::unexpected(std::move(*wrong));
  const SumPlans plans = frames.betterPlans();
  if (plans.empty()) return told(frames);
  Builder sums(model, question, analysis, plans);
  return sums.build() || sums.stateBytes() >= frames.stateBytes() ? told(frames) : told(sums);
}

}  // namespace axle::ir
