#include "runtime/plan.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "io/joined.h"
#include "io/sorting.h"
#include "runtime/arena.h"
#include "runtime/bundle_format.h"
#include "runtime/by_rows.h"
#include "runtime/check.h"
#include "runtime/fetch_ahead.h"
#include "runtime/storage.h"
#include "runtime/strips.h"

namespace axle::runtime {
namespace {

const char* reason(DimValue value) {
  switch (value.state) {
    case DimState::overflow:
      return "overflows 64 bits";
    case DimState::undefined:
      return "is divided by zero";
    case DimState::unbound:
      return "is not known";
    case DimState::known:
      break;
  }
  return "is negative";
}

class Binder {
 public:
  Binder(const BindContext& context, const manifest::Graph& graph) : context_(context) { bound_.graph = &graph; }

  Result<BoundGraph> bind() {
    if (auto shaped = shapeValues(); !shaped) return tl::unexpected(std::move(shaped.error()));
    bound_.steps.reserve(bound_.graph->nodes.size());
    for (const manifest::Node& node : bound_.graph->nodes)
      if (auto added = addStep(node); !added) {
        if (added.error().places.empty()) added.error().places = describe(node).places;
        return tl::unexpected(std::move(added.error()));
      }
    if (auto shared = shareStorage(bound_, context_.manifest); !shared)
      return tl::unexpected(std::move(shared.error()));
    for (Step& step : bound_.steps)
      if (!step.late) settleStep(step);
    bound_.isInRows.resize(bound_.values.size());
    if (linkedByRows != nullptr && linkedByRows->join(bound_) != nullptr) return tooMuchMemory();
    if (linkedStrips != nullptr && linkedStrips->join(bound_) != nullptr) return tooMuchMemory();
    fetchAhead(bound_);
    if (auto planned = plan(); !planned) return tl::unexpected(std::move(planned.error()));
    sortItems(std::span(bound_.found));
    bound_.found.erase(std::unique(bound_.found.begin(), bound_.found.end()), bound_.found.end());
    return std::move(bound_);
  }

 private:
  NodeText describe(const manifest::Node& node) const {
    return manifest::describeNode(context_.manifest, *bound_.graph, node);
  }
  std::string label(const NodeText& text, const manifest::Node& node) const {
    return manifest::nodeLabel(text, *bound_.graph, node);
  }
  std::string constantLabel(std::size_t constant) const {
    const std::string name = constantName(context_.manifest.debug, constant);
    return joined({"constant ", name.empty() ? std::to_string(constant) : joined({"`", name, "`"})});
  }

  Result<void> shapeValues() {
    const auto& values = bound_.graph->values;
    bound_.values.resize(values.size());
    bound_.planned.resize(values.size());
    bound_.late.resize(values.size());
    bound_.open.resize(values.size());
    bound_.sizes = &context_.sizes;
    for (std::size_t i = 0; i < values.size(); ++i) {
      TensorView& view = bound_.values[i];
      view.elem = static_cast<Elem>(values[i].elem);
      for (std::uint32_t dim : values[i].shape) {
        const bool late = context_.sizes.isLate(dim);
        DimValue size = late ? context_.sizes.most(dim) : context_.sizes.dim(dim);
        if (late && size.known()) size.value = std::max<std::int64_t>(size.value, 0);
        if (!size.known() || size.value < 0) return badSize(i, size);
        view.shape.push(size.value);
        if (late) bound_.late[i] = true;
      }
      if (!view.shape.checkedBytes(view.elem))
        return failure(ErrorCode::outOfMemory,
                       joined({"a tensor ", typeText(view.elem, view.shape), " is too large to address"}));
      if (bound_.late[i]) bound_.planned[i] = view.bytes();
      if (!values[i].isConstant) continue;
      const manifest::Constant& constant = context_.manifest.constants[values[i].constant];
      for (int axis = 0; axis < view.shape.rank(); ++axis)
        if (constant.shape[static_cast<std::size_t>(axis)] != static_cast<std::uint64_t>(view.shape[axis]))
          return failure(ErrorCode::inconsistent,
                         joined({"bundle: ", constantLabel(values[i].constant), " has another shape than its use, ",
                                 typeText(view.elem, view.shape)}));
      view.data = const_cast<std::byte*>(context_.weights.data() + constant.offset);
    }
    return {};
  }

  tl::unexpected<RunError> badSize(std::size_t value, DimValue size) const {
    for (const manifest::Node& node : bound_.graph->nodes)
      if (std::find(node.outputs.begin(), node.outputs.end(), value) != node.outputs.end()) {
        NodeText text = describe(node);
        auto error =
            failure(ErrorCode::badSize, joined({"a size of the result of ", label(text, node), " ", reason(size)}));
        error.value().places = std::move(text.places);
        return error;
      }
    return failure(ErrorCode::badSize, joined({"a size ", reason(size)}));
  }

  Result<void> addStep(const manifest::Node& node) {
    Step& step = bound_.steps.emplace_back();
    step.row = operatorRow(node.op);
    step.node = &node;
    step.values = bound_.values.data();
    step.team = context_.team;
    const auto isLate = [&](std::uint32_t value) { return bound_.late[value]; };
    step.late = std::any_of(node.inputs.begin(), node.inputs.end(), isLate) ||
                std::any_of(node.outputs.begin(), node.outputs.end(), isLate);
    for (std::uint32_t found : node.finds)
      if (found != 0) bound_.found.push_back(found - 1);
    for (std::uint32_t dim : node.ints) {
      const bool late = context_.sizes.isLate(dim);
      step.late = step.late || late;
      const DimValue value = late ? context_.sizes.most(dim) : context_.sizes.dim(dim);
      step.ints.push_back(value.known() ? value.value : 0);
      if (!value.known()) step.unknownInt = value.state;
    }
    // An integer of an operator without inputs is part of its result, so it may be unknown until the step runs.
    const bool asValue = node.bodies.empty() && node.inputs.empty();
    if (step.unknownInt != DimState::known && !asValue)
      return failure(ErrorCode::badSize,
                     joined({"an attribute of ", label(describe(node), node), " ", reason({0, step.unknownInt})}));
    for (std::uint32_t body : node.bodies) {
      auto graph = bindGraph(context_, context_.manifest.bodies[body]);
      if (!graph) return tl::unexpected(std::move(graph.error()));
      step.bodyBytes = std::max(step.bodyBytes, graph->arenaBytes);
      bound_.found.insert(bound_.found.end(), graph->found.begin(), graph->found.end());
      step.late =
          step.late || std::any_of(graph->steps.begin(), graph->steps.end(), [](const Step& s) { return s.late; });
      step.bodies.push_back(std::move(*graph));
    }
    // A late step is prepared in the run. Preparing it here only computes the memory for its largest sizes.
    const char* problem = prepareStep(step);
    if (problem != nullptr && !step.late) return stepError(step, problem);
    step.workspacePlanned = step.workspaceBytes;
    step.position = static_cast<std::uint32_t>(&node - bound_.graph->nodes.data());
    if (node.alias)
      bound_.steps.pop_back();
    else
      addMacs(step.late ? std::nullopt : step.macs);
    return {};
  }

  tl::unexpected<RunError> stepError(const Step& step, const char* problem) const {
    std::string text = joined({"bundle: ", label(describe(*step.node), *step.node), ": ", step.row->name, " of "});
    for (int i = 0; i < step.inputCount(); ++i)
      text += (i > 0 ? ", " : "") + typeText(step.in(i).elem, step.in(i).shape);
    text += joined({" to ", typeText(step.out(0).elem, step.out(0).shape), ": ", problem});
    return failure(ErrorCode::inconsistent, std::move(text));
  }

  void addMacs(std::optional<std::uint64_t> macs) {
    std::uint64_t sum = 0;
    if (bound_.macs && macs && !__builtin_add_overflow(*bound_.macs, *macs, &sum))
      bound_.macs = sum;
    else
      bound_.macs = std::nullopt;
  }

  // Plans the arena. Memory lives from the first node that computes a value in it to the last node that reads one, or
  // to the end if it has an output of the graph. A node's workspace comes before its results.
  Result<void> plan() {
    const manifest::Graph& graph = *bound_.graph;
    constexpr std::uint32_t end = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> first(graph.values.size(), end), last(graph.values.size());
    const auto rootOf = [&](std::uint32_t value) { return bound_.storage[value].root; };
    const std::vector<Nodes> together = nodesTogether();
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
      for (std::uint32_t value : graph.nodes[i].outputs) {
        first[rootOf(value)] = std::min(first[rootOf(value)], together[i].first);
        last[rootOf(value)] = together[i].last;
      }
      for (std::uint32_t value : graph.nodes[i].inputs) last[rootOf(value)] = together[i].last;
    }
    for (std::uint32_t value : graph.outputs) last[rootOf(value)] = end;
    const bool isGiven = !graph.offsets.empty();
    std::vector<Block> blocks;
    std::vector<std::size_t> ofValue(graph.values.size()), ofStep;
    Marks isMade(graph.values.size()), hasBlock(graph.values.size());
    for (const manifest::Node& node : graph.nodes)
      for (std::uint32_t value : node.outputs) isMade[value] = true;
    auto step = bound_.steps.begin();
    for (std::uint32_t i = 0; i < graph.nodes.size(); i = together[i].last + 1) {
      for (; step != bound_.steps.end() && step->position <= together[i].last; ++step) {
        if (step->workspacePlanned > addressableBytes || step->bodyBytes > addressableBytes) return tooMuchMemory();
        ofStep.push_back(blocks.size());
        blocks.push_back({alignUp(step->workspacePlanned) + step->bodyBytes, i, together[i].last, 0});
      }
      for (std::uint32_t k = i; k <= together[i].last; ++k)
        for (std::uint32_t value : graph.nodes[k].outputs) {
          const std::uint32_t root = rootOf(value);
          // A view of an input needs no memory.
          if (!isMade[root] || first[root] != i || hasBlock[root] || bound_.isInRows[root]) continue;
          hasBlock[root] = true;
          ofValue[root] = blocks.size();
          blocks.push_back({bound_.values[root].bytes(), i, last[root], givenOffset(root), isGiven});
        }
    }
    const auto bytes = isGiven ? completeArena(blocks) : planArena(blocks);
    if (!bytes && isGiven) return inconsistent("its memory plan does not fit its tensors");
    if (!bytes) return tooMuchMemory();
    bound_.arenaBytes = *bytes;
    bound_.liveBytes = liveBytes(blocks);
    for (std::size_t i = 0; i < ofStep.size(); ++i) bound_.steps[i].workspaceOffset = blocks[ofStep[i]].offset;
    bound_.offsets.resize(graph.values.size());
    for (const manifest::Node& node : graph.nodes)
      for (std::uint32_t value : node.outputs)
        if (hasBlock[rootOf(value)])
          bound_.offsets[value] = blocks[ofValue[rootOf(value)]].offset + bound_.storage[value].offset;
    return {};
  }

  // The first and last of the nodes that run together with a node; just that node unless they run row by row.
  struct Nodes {
    std::uint32_t first, last;
  };
  std::vector<Nodes> nodesTogether() const {
    std::vector<Nodes> together;
    for (std::uint32_t i = 0; i < bound_.graph->nodes.size(); ++i) together.push_back({i, i});
    for (const Step& step : bound_.steps) {
      const std::uint32_t last = (&step)[step.following].position;
      for (std::uint32_t i = step.position; i < last + 1 && step.following > 0; ++i)
        together[i] = {step.position, last};
    }
    return together;
  }

  // Returns a value's offset in the bundle's plan: 0 without a plan, 1 (no multiple of 64) if the plan has no place for
  // the value.
  std::uint64_t givenOffset(std::size_t value) const {
    const std::vector<std::uint32_t>& offsets = bound_.graph->offsets;
    if (offsets.empty()) return 0;
    return offsets[value] == 0 ? 1 : std::uint64_t{offsets[value] - 1} * tensorAlignment;
  }

  static tl::unexpected<RunError> tooMuchMemory() {
    return failure(ErrorCode::outOfMemory, "the arena for these sizes is too large to address");
  }

  const BindContext& context_;
  BoundGraph bound_;
};

}  // namespace

std::vector<std::uint32_t> offsetsOf(const BoundGraph& bound) {
  std::vector<std::uint32_t> offsets(bound.values.size());
  for (const manifest::Node& node : bound.graph->nodes)
    for (std::uint32_t value : node.outputs) {
      if (bound.storage[value].root != value || bound.isInRows[value]) continue;
      const std::uint64_t unit = bound.offsets[value] / tensorAlignment + 1;
      if (unit > std::numeric_limits<std::uint32_t>::max()) return {};
      offsets[value] = static_cast<std::uint32_t>(unit);
    }
  return offsets;
}

Result<BoundGraph> bindGraph(const BindContext& context, const manifest::Graph& graph) {
  return Binder(context, graph).bind();
}

void placeGraph(BoundGraph& graph, std::byte* arena) {
  Marks isMade(graph.values.size());
  for (const manifest::Node& node : graph.graph->nodes)
    for (std::uint32_t value : node.outputs) isMade[value] = true;
  Marks isInput(graph.values.size());
  for (std::uint32_t value : graph.graph->inputs) isInput[value] = true;
  graph.viewsOfInputs.clear();
  for (const manifest::Node& node : graph.graph->nodes)
    for (std::uint32_t value : node.outputs) {
      const auto [root, offset] = graph.storage[value];
      if (graph.isInRows[root])
        graph.values[value].data = nullptr;
      else if (isMade[root])
        graph.values[value].data = arena + graph.offsets[value];
      else if (isInput[root])
        graph.viewsOfInputs.push_back(value);
      else
        graph.values[value].data = graph.values[root].as<std::byte>() + offset;
    }
  for (Step& step : graph.steps) {
    step.graph = &graph;
    step.workspace = arena + step.workspaceOffset;
    for (BoundGraph& body : step.bodies) placeGraph(body, step.workspace + alignUp(step.workspacePlanned));
  }
}

}  // namespace axle::runtime
