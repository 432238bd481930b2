#include "ir/stream/stages.h"

#include <algorithm>
#include <map>
#include <set>

namespace axle::ir {

OutletId frameOutput(const StreamAnalysis& analysis, const Node& node) {
  const auto found = std::find_if(node.outputs.begin(), node.outputs.end(),
                                  [&](OutletId id) { return analysis.flows[id.index].arrival == Arrival::frames; });
  return found == node.outputs.end() ? node.outputs[0] : *found;
}

bool isJoin(const StreamAnalysis& analysis, const Node& node) {
  if (node.op != Op::concat) return false;
  const Flow& flow = analysis.flows[node.outputs[0].index];
  return flow.arrival == Arrival::frames && flow.axis == as<AxisAttributes>(node).axis;
}

namespace {

const Flow& flowOf(const StreamAnalysis& analysis, OutletId id) { return analysis.flows[id.index]; }

bool isZero(const Model& model, Dim d) { return model.dims->asConstant(d) == 0; }

// Whether a node pads only along the stream, with a constant.
bool isPureFramePad(const Model& model, const Graph& graph, const StreamAnalysis& analysis, const Node& node) {
  const Flow& flow = flowOf(analysis, node.outputs[0]);
  if (node.op != Op::pad || flow.arrival != Arrival::frames) return false;
  const auto& pad = as<PadAttributes>(node);
  for (std::size_t i = 0; i < pad.before.size(); ++i)
    if (i != flow.axis && !(isZero(model, pad.before[i]) && isZero(model, pad.after[i]))) return false;
  return node.inputs.size() < 2 || graph.producer(node.inputs[1]).op == Op::constant;
}

// Whether a node is a slice along the stream that leaves out frames at the begin.
bool isFrameShift(const StreamAnalysis& analysis, NodeId id, const Node& node) {
  const Flow& flow = flowOf(analysis, node.outputs[0]);
  if (node.op != Op::slice || flow.arrival != Arrival::frames || as<SliceAttributes>(node).axis != flow.axis)
    return false;
  const FrameWindow& window = analysis.windows[id.index][0];
  return window.stride == 1 && window.spread == 1;
}

void markLive(const Graph& graph, Stages& stages) {
  std::vector<NodeId> open;
  const auto visit = [&](OutletId id) {
    const NodeId node = graph[id].node;
    if (stages.isLive[node.index]) return;
    stages.isLive[node.index] = true;
    open.push_back(node);
  };
  for (OutletId id : graph.outputs) visit(id);
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    for (OutletId id : graph[node].inputs) visit(id);
  }
}

// Marks aliases, which save a copy. Only frames in range may be read through an alias.
void markAliases(const Model& model, const StreamAnalysis& analysis, const std::vector<NodeId>& order, Stages& stages) {
  const Graph& graph = model.main();
  for (NodeId id : order) {
    const Node& node = graph[id];
    if (!stages.isLive[id.index] || node.outputs.empty()) continue;
    if (isFrameShift(analysis, id, node)) stages.isAlias[id.index] = true;
    if (node.op == Op::guard) stages.isAlias[id.index] = flowOf(analysis, node.outputs[0]).arrival == Arrival::frames;
    if (isPureFramePad(model, graph, analysis, node))
      stages.isAlias[id.index] = !stages.isAlias[graph[node.inputs[0]].node.index];
  }
  const auto force = [&](OutletId id) { stages.isAlias[graph[id].node.index] = false; };
  for (OutletId id : graph.outputs) force(id);
  for (NodeId id : order) {
    if (!stages.isLive[id.index] || stages.isAlias[id.index]) continue;
    for (std::size_t k = 0; k < graph[id].inputs.size(); ++k)
      if (isJoin(analysis, graph[id]) || readsOutside(model, analysis, id, k)) force(graph[id].inputs[k]);
  }
}

// Merges stages while each can run after the stages that it reads from.
class Grouping {
 public:
  std::uint32_t add() {
    reads_.emplace_back();
    return static_cast<std::uint32_t>(reads_.size() - 1);
  }
  void read(std::uint32_t stage, std::uint32_t from) {
    if (find(stage) != find(from)) reads_[find(stage)].insert(find(from));
  }
  std::uint32_t find(std::uint32_t stage) const {
    const auto to = merged_.find(stage);
    return to == merged_.end() ? stage : find(to->second);
  }
  // Whether a path of reads leads from a stage to `target`. `skipsDirect` excludes the path of one step.
  bool reaches(std::uint32_t stage, std::uint32_t target, bool skipsDirect) const {
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> open;
    for (std::uint32_t next : reads_[stage]) {
      next = find(next);
      if (!(skipsDirect && next == target) && seen.insert(next).second) open.push_back(next);
    }
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      if (at == target) return true;
      for (std::uint32_t next : reads_[at])
        if (seen.insert(find(next)).second) open.push_back(find(next));
    }
    return false;
  }
  void merge(std::uint32_t kept, std::uint32_t gone) {
    for (std::uint32_t from : reads_[gone])
      if (find(from) != kept) reads_[kept].insert(find(from));
    reads_[kept].erase(gone);
    merged_[gone] = kept;
  }
  std::size_t size() const { return reads_.size(); }
  const std::set<std::uint32_t>& reads(std::uint32_t stage) const { return reads_[stage]; }

 private:
  std::vector<std::set<std::uint32_t>> reads_;
  std::map<std::uint32_t, std::uint32_t> merged_;
};

// Collects the stage of a tensor or, behind aliases and joins, the stages of their operands.
void collectStages(const Graph& graph, const Stages& stages, OutletId id, std::set<std::uint32_t>& into) {
  const NodeId node = graph[id].node;
  if (stages.of[node.index] != Stages::none) {
    into.insert(stages.of[node.index]);
    return;
  }
  for (OutletId input : graph[node].inputs) collectStages(graph, stages, input, into);
}

// The key of a stage for tensors that are known once: when they are known, and the stages that they wait for.
struct OnceKey {
  Arrival arrival = Arrival::atOnce;
  std::int64_t after = 0;
  std::set<std::uint32_t> of;  // the stages that they wait for; empty for `atOnce`
  auto operator<=>(const OnceKey&) const = default;
};

std::uint32_t onceStage(const Graph& graph, const StreamAnalysis& analysis, NodeId id, Stages& stages,
                        Grouping& grouping, std::map<OnceKey, std::uint32_t>& known) {
  const Flow& flow = flowOf(analysis, graph[id].outputs[0]);
  OnceKey key{flow.arrival, flow.after, {}};
  std::set<std::uint32_t> from;
  for (OutletId input : graph[id].inputs) collectStages(graph, stages, input, from);
  if (flow.arrival != Arrival::atOnce) {
    key.of = from;
    const auto same = known.find(key);
    const bool isNew = same == known.end();
    const std::uint32_t stage = isNew ? grouping.add() : same->second;
    if (isNew) known[key] = stage;
    for (std::uint32_t other : from) grouping.read(stage, other);
    return stage;
  }
  const auto [entry, isNew] = known.try_emplace(key, 0);
  if (isNew) entry->second = grouping.add();
  return entry->second;
}

// Whether two tensors that arrive in frames have the same number of frames.
bool haveOneLength(const Graph& graph, const StreamAnalysis& analysis, OutletId a, OutletId b) {
  return graph[a].fact.shape[flowOf(analysis, a).axis] == graph[b].fact.shape[flowOf(analysis, b).axis];
}

std::uint32_t frameStage(const Model& model, const StreamAnalysis& analysis, const SumPlans& sums, NodeId id,
                         const Stages& stages, Grouping& grouping) {
  const Graph& graph = model.main();
  const Node& node = graph[id];
  const OutletId result = frameOutput(analysis, node);
  const std::uint32_t own = grouping.add();
  std::set<std::uint32_t> from, direct;
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    std::set<std::uint32_t> read;
    collectStages(graph, stages, node.inputs[k], read);
    const NodeId producer = graph[node.inputs[k]].node;
    const bool joins = !isScaled(analysis, producer) && sums.count(producer.index) == 0 &&
                       isDirect(model, analysis, stages, id, k) &&
                       haveOneLength(graph, analysis, node.inputs[k], result) &&
                       flowOf(analysis, node.inputs[k]).known == flowOf(analysis, result).known;
    for (std::uint32_t stage : read) {
      grouping.read(own, stage);
      if (!joins) from.insert(grouping.find(stage));
    }
    if (joins) direct.insert(grouping.find(stages.of[graph[node.inputs[k]].node.index]));
  }
  std::uint32_t kept = own;
  for (std::uint32_t stage : direct) {
    stage = grouping.find(stage);
    if (stage == kept || from.count(stage) != 0) continue;
    // `kept` reads from `stage` directly; the two can merge unless there is another path between them.
    if (grouping.reaches(kept, stage, true) || grouping.reaches(stage, kept, false)) continue;
    grouping.merge(stage, kept);
    kept = stage;
  }
  return kept;
}

}  // namespace

bool isScaled(const StreamAnalysis& analysis, NodeId id) {
  const auto& windows = analysis.windows[id.index];
  return std::any_of(windows.begin(), windows.end(), [](const FrameWindow& w) { return w.spread != 1; });
}

bool readsOutside(const Model& model, const StreamAnalysis& analysis, NodeId id, std::size_t input) {
  const Graph& graph = model.main();
  const Node& node = graph[id];
  const Flow& from = flowOf(analysis, node.inputs[input]);
  if (from.arrival != Arrival::frames) return false;
  const FrameWindow& window = analysis.windows[id.index][input];
  const auto isPadded = [&](const Dims& after) { return window.first < 0 || !isZero(model, after[from.axis - 1]); };
  switch (node.op) {
    case Op::conv:
      return input == 0 && from.axis > 0 && from.axis + 1 < graph[node.inputs[0]].fact.shape.size() &&
             (window.spread != 1 || isPadded(as<ConvAttributes>(node).after));
    case Op::maxPool:
    case Op::avgPool:
      return from.axis > 0 && from.axis + 1 < graph[node.inputs[0]].fact.shape.size() &&
             isPadded(as<PoolAttributes>(node).after);
    case Op::overlapAdd:
      return true;
    case Op::pad:
      return input == 0 && !(isZero(model, as<PadAttributes>(node).before[from.axis]) &&
                             isZero(model, as<PadAttributes>(node).after[from.axis]));
    default:
      return false;
  }
}

FrameReference frameReference(const Graph& graph, const StreamAnalysis& analysis, const Stages& stages, OutletId id) {
  FrameReference reference{id, 0};
  while (stages.isAlias[graph[reference.base].node.index]) {
    const NodeId node = graph[reference.base].node;
    reference.offset += analysis.windows[node.index][0].first;
    reference.base = graph[node].inputs[0];
  }
  return reference;
}

bool isDirect(const Model& model, const StreamAnalysis& analysis, const Stages& stages, NodeId id, std::size_t input) {
  const Graph& graph = model.main();
  const OutletId outlet = graph[id].inputs[input];
  const NodeId producer = graph[outlet].node;
  return flowOf(analysis, outlet).arrival == Arrival::frames && stages.of[producer.index] != Stages::none &&
         analysis.windows[id.index][input].isOneToOne() && !readsOutside(model, analysis, id, input);
}

Stages makeStages(const Model& model, const StreamAnalysis& analysis, const SumPlans& sums) {
  const Graph& graph = model.main();
  Stages stages;
  stages.isLive.resize(graph.nodes.size());
  stages.isAlias.resize(graph.nodes.size());
  stages.of.assign(graph.nodes.size(), Stages::none);
  const auto order = topologicalOrder(graph).value_or(std::vector<NodeId>());
  markLive(graph, stages);
  markAliases(model, analysis, order, stages);
  Grouping grouping;
  std::map<OnceKey, std::uint32_t> once;
  for (NodeId id : order) {
    const Node& node = graph[id];
    if (!stages.isLive[id.index] || node.op == Op::input || node.op == Op::constant || stages.isAlias[id.index] ||
        node.outputs.empty() || isJoin(analysis, node))
      continue;
    const bool isFrames = std::any_of(node.outputs.begin(), node.outputs.end(), [&](OutletId output) {
      return flowOf(analysis, output).arrival == Arrival::frames;
    });
    stages.of[id.index] = isFrames ? frameStage(model, analysis, sums, id, stages, grouping)
                                   : onceStage(graph, analysis, id, stages, grouping, once);
  }
  for (std::uint32_t& stage : stages.of)
    if (stage != Stages::none) stage = grouping.find(stage);
  // Orders each stage after the stages that it reads from.
  std::vector<char> mark(grouping.size());
  const auto place = [&](auto& self, std::uint32_t stage) -> void {
    if (mark[stage] != 0) return;
    mark[stage] = 1;
    for (std::uint32_t from : grouping.reads(stage)) self(self, grouping.find(from));
    stages.order.push_back(stage);
  };
  for (std::uint32_t stage : stages.of)
    if (stage != Stages::none) place(place, stage);
  return stages;
}

}  // namespace axle::ir
