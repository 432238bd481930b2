#include "ir/stream/partial_sums.h"

#include <algorithm>
#include <numeric>

#include "dims/arithmetic.h"
#include "ir/stream/stages.h"

namespace axle::ir {

namespace {

constexpr std::int64_t mostStages = 8;

// The taps along the stream: result a is the sum, over all taps t, of tap t times the frame i for which
// a*stride + t*dilation + first = i*spread.
struct Taps {
  std::int64_t count = 1, dilation = 1, stride = 1, spread = 1, first = 0;
};

// Measures a plan's `begun` and `waiting` by running it for some time, frame by frame.
SumPlan measured(std::vector<SharesStage> stages, const Taps& taps) {
  SumPlan plan{std::move(stages), 0, 0};
  const std::int64_t rounds = 4 * ((taps.count - 1) * taps.dilation + taps.stride + taps.spread) + 16;
  for (std::int64_t come = 1; come <= rounds; ++come) {
    std::int64_t end = 0, whole = INT64_MAX, read = INT64_MAX;
    for (const SharesStage& stage : plan.stages) {
      const std::int64_t next =
          std::max<std::int64_t>(0, floorDiv(come - 1 - stage.window.last, stage.window.stride) + 1);
      if (next > 0) end = std::max(end, stage.sink.endOfSums(next));
      whole = std::min(whole, std::max<std::int64_t>(0, stage.sink.firstSum(next)));
      read = std::min(read, stage.window.lowest(next));
    }
    plan.begun = std::max(plan.begun, end - whole);
    plan.waiting = std::max(plan.waiting, come - std::max<std::int64_t>(read, 0));
  }
  return plan;
}

// ---- convolutions

// Rearranges the filter's taps `first`, `first` + step, ... as result channels: for each group, the blocks one after
// another. A block has `wide` taps along the axis, from its tap on.
Rearrangement tapsAsChannels(const std::vector<std::int64_t>& shape, std::size_t axis, std::int64_t groups,
                             std::int64_t first, std::int64_t step, std::int64_t blocks, std::int64_t wide) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * shape[i + 1];
  Rearrangement out;
  out.source = shape;
  out.first = first * strides[axis];
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) out.axes.push_back({i == axis ? wide : shape[i], strides[i]});
  const std::int64_t channels = shape.back() / groups;
  out.axes.push_back({groups, channels});
  out.axes.push_back({blocks, step * strides[axis]});
  out.axes.push_back({channels, 1});
  return out;
}

struct Filter {
  std::vector<std::int64_t> shape;
  std::size_t axis = 0;
  std::int64_t groups = 1;

  StageSink sinkOf(std::int64_t blocks) const {
    StageSink sink;
    sink.kind = SinkKind::add;
    sink.count = blocks;
    sink.along = static_cast<std::uint32_t>(shape.size() - 1);
    sink.run = shape.back() / groups;
    return sink;
  }
};

// Plans one share for each frame. Frames whose numbers differ by the stride meet the same taps, so there is a stage for
// each remainder.
std::optional<SumPlan> frameByFrame(const Filter& filter, const Taps& taps) {
  if (taps.stride > mostStages) return std::nullopt;
  std::vector<SharesStage> stages;
  const std::int64_t step = taps.stride / std::gcd(taps.stride, taps.dilation);  // between taps of one remainder
  for (std::int64_t rest = 0; rest < taps.stride; ++rest) {
    const auto meets = [&](std::int64_t tap) {
      return floorMod(rest * taps.spread - taps.first - tap * taps.dilation, taps.stride) == 0;
    };
    std::int64_t tap = 0;
    while (tap < std::min(step, taps.count) && !meets(tap)) ++tap;
    if (tap == std::min(step, taps.count)) continue;
    const std::int64_t blocks = (taps.count - 1 - tap) / step + 1, last = tap + (blocks - 1) * step;
    StageSink sink = filter.sinkOf(blocks);
    sink.step = taps.spread;
    sink.shift = (rest * taps.spread - taps.first - last * taps.dilation) / taps.stride;
    sink.spacing = step * taps.dilation / taps.stride;
    stages.push_back({FrameWindow{taps.stride, 1, rest, rest}, sink,
                      tapsAsChannels(filter.shape, filter.axis, filter.groups, last, -step, blocks, 1)});
  }
  if (stages.empty()) return std::nullopt;
  return measured(std::move(stages), taps);
}

// Plans shares of `stride` frames at a time, up to the last frame of a result.
std::optional<SumPlan> strideByStride(const Filter& filter, const Taps& taps) {
  const std::int64_t stride = taps.stride;
  if (stride == 1 || taps.spread != 1 || taps.dilation != 1 || taps.count % stride != 0) return std::nullopt;
  const std::int64_t blocks = taps.count / stride, behind = floorMod(taps.first, stride),
                     first = behind == 0 ? 0 : behind - stride;
  StageSink sink = filter.sinkOf(blocks);
  sink.shift = (first - taps.first) / stride - (blocks - 1);
  const SharesStage stage{
      FrameWindow{stride, 1, first, first + stride - 1}, sink,
      tapsAsChannels(filter.shape, filter.axis, filter.groups, (blocks - 1) * stride, -stride, blocks, stride)};
  return measured({stage}, taps);
}

std::vector<SumPlan> convPlans(const Model& model, const StreamAnalysis& analysis, NodeId id, std::int64_t offset) {
  const Graph& graph = model.main();
  const Node& node = graph[id];
  const auto& attributes = as<ConvAttributes>(node);
  const Flow& x = analysis.flows[node.inputs[0].index];
  const Node& weights = graph.producer(node.inputs[1]);
  if (x.axis == 0 || x.axis > attributes.strides.size() || weights.op != Op::constant) return {};
  const std::size_t axis = x.axis - 1;
  const auto dilation = model.dims->asConstant(attributes.dilations[axis]),
             groups = model.dims->asConstant(attributes.groups);
  const std::vector<std::int64_t>& shape = model[weights.constant].shape;
  if (!dilation || !groups || std::any_of(shape.begin(), shape.end(), [](std::int64_t size) { return size < 1; }))
    return {};
  const FrameWindow& window = analysis.windows[id.index][0];
  if (window.stride != 1 && window.spread != 1) return {};
  const Taps taps{shape[axis], *dilation, window.stride, window.spread,
                  window.first - (window.spread - 1) + offset * window.spread};
  const Filter filter{shape, axis, *groups};
  std::vector<SumPlan> plans;
  for (auto& plan : {frameByFrame(filter, taps), strideByStride(filter, taps)})
    if (plan) plans.push_back(*plan);
  return plans;
}

// ---- other sums

// Plans averages without padding: a frame has the same share in all results that use it.
std::vector<SumPlan> poolPlans(const Model& model, const StreamAnalysis& analysis, NodeId id, std::int64_t offset) {
  const Graph& graph = model.main();
  const Node& node = graph[id];
  const auto& attributes = as<PoolAttributes>(node);
  const Fact& fact = graph[node.inputs[0]].fact;
  const std::size_t axis = analysis.flows[node.inputs[0].index].axis;
  if (axis == 0 || axis > attributes.sizes.size() || readsOutside(model, analysis, id, 0)) return {};
  const auto size = model.dims->asConstant(attributes.sizes[axis - 1]),
             channels = model.dims->asConstant(fact.shape.back());
  const FrameWindow& window = analysis.windows[id.index][0];
  if (!size || !channels || *channels < 1) return {};
  const Taps taps{*size, 1, window.stride, 1, window.first + offset};
  Filter filter;
  filter.shape.assign(fact.shape.size(), 1);
  filter.shape[axis - 1] = *size;
  filter.shape.back() = *channels;
  filter.axis = axis - 1;
  std::optional<SumPlan> plan;
  if (*size % window.stride == 0) {
    StageSink sink = filter.sinkOf(*size / window.stride);
    sink.per = window.stride;
    sink.shift = -taps.first - (sink.count - 1) * window.stride;
    plan = measured({{FrameWindow{}, sink, {}}}, taps);
  } else {
    plan = frameByFrame(filter, taps);
  }
  if (!plan) return {};
  for (SharesStage& stage : plan->stages) stage.filter.reset();
  return {*plan};
}

std::vector<SumPlan> overlapAddPlans(const Model& model, const StreamAnalysis& analysis, NodeId id,
                                     std::int64_t offset) {
  const Graph& graph = model.main();
  const Node& node = graph[id];
  const auto& attributes = as<FrameAttributes>(node);
  const auto step = model.dims->asConstant(attributes.step),
             length = model.dims->asConstant(graph[node.inputs[0]].fact.shape[attributes.axis + 1]);
  if (analysis.flows[node.inputs[0].index].axis != attributes.axis || !step || !length || *length < 1) return {};
  StageSink sink;
  sink.kind = SinkKind::add;
  sink.step = *step;
  sink.shift = -offset * *step;
  sink.count = *length;
  sink.along = static_cast<std::uint32_t>(attributes.axis);
  return {measured({{FrameWindow{}, sink, {}}}, {*length, 1, 1, *step, 0})};
}

}  // namespace

std::int64_t StageSink::firstSum(std::int64_t frame) const { return floorDiv(frame * step + shift, per); }

std::int64_t StageSink::endOfSums(std::int64_t end) const {
  return std::max<std::int64_t>(0, firstSum(end - 1) + (count - 1) * spacing + 1);
}

SumPlans choosePlans(const std::vector<FrameUse>& uses) {
  SumPlans chosen;
  for (const FrameUse& use : uses) {
    std::vector<const FrameUse::Reader*> readers;
    for (const FrameUse::Reader& reader : use.readers) readers.push_back(&reader);
    std::stable_sort(readers.begin(), readers.end(),
                     [](const auto* a, const auto* b) { return a->history > b->history; });
    const auto historyFrom = [&](std::size_t i) { return i < readers.size() ? readers[i]->history : 0; };
    double least = static_cast<double>(historyFrom(0)) * use.frameBytes / 1.1, sums = 0;
    std::int64_t waiting = 0;
    std::vector<const SumPlan*> plans;
    std::size_t kept = 0;  // the number of readers that keep sums
    for (std::size_t i = 0; i < readers.size() && !readers[i]->plans.empty() && readers[i]->history > 0; ++i) {
      const auto bytes = [&](const SumPlan& plan) {
        return static_cast<double>(plan.begun) * readers[i]->sumBytes +
               static_cast<double>(plan.waiting) * use.frameBytes;
      };
      const SumPlan& best = *std::min_element(readers[i]->plans.begin(), readers[i]->plans.end(),
                                              [&](const auto& a, const auto& b) { return bytes(a) < bytes(b); });
      plans.push_back(&best);
      sums += static_cast<double>(best.begun) * readers[i]->sumBytes;
      waiting = std::max(waiting, best.waiting);
      const double all = sums + static_cast<double>(std::max(waiting, historyFrom(i + 1))) * use.frameBytes;
      if (all < least) least = all, kept = i + 1;
    }
    for (std::size_t i = 0; i < kept; ++i) chosen[readers[i]->node.index] = *plans[i];
  }
  return chosen;
}

std::vector<SumPlan> sumPlans(const Model& model, const StreamAnalysis& analysis, NodeId id, std::int64_t offset) {
  const Graph& graph = model.main();
  const Node& node = graph[id];
  const Elem elem = graph[node.outputs[0]].fact.elem;
  if ((elem != Elem::f32 && elem != Elem::f64) || graph[node.inputs[0]].fact.elem != elem ||
      analysis.flows[node.inputs[0].index].arrival != Arrival::frames || !node.runSizes.empty() || !node.after.empty())
    return {};
  if (node.op == Op::conv) return convPlans(model, analysis, id, offset);
  if (node.op == Op::avgPool) return poolPlans(model, analysis, id, offset);
  if (node.op == Op::overlapAdd) return overlapAddPlans(model, analysis, id, offset);
  return {};
}

}  // namespace axle::ir
