#include "runtime/plan.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "runtime/bundle_format.h"

namespace axle::runtime {
namespace {

constexpr std::uint64_t addressable =
    static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) - tensorAlignment;

// The free ranges below `top`, in order of offset; no two are adjacent.
class FreeList {
 public:
  std::uint64_t allocate(std::uint64_t bytes) {
    auto best = holes_.end();
    for (auto hole = holes_.begin(); hole != holes_.end(); ++hole)
      if (hole->bytes >= bytes && (best == holes_.end() || hole->bytes < best->bytes)) best = hole;
    if (best != holes_.end()) {
      const std::uint64_t offset = best->offset;
      best->offset += bytes, best->bytes -= bytes;
      if (best->bytes == 0) holes_.erase(best);
      return offset;
    }
    std::uint64_t offset = top_;
    if (!holes_.empty() && holes_.back().offset + holes_.back().bytes == top_) {
      offset = holes_.back().offset;
      holes_.pop_back();
    }
    top_ = offset + bytes;
    return offset;
  }

  void release(std::uint64_t offset, std::uint64_t bytes) {
    auto after = std::upper_bound(holes_.begin(), holes_.end(), offset,
                                  [](std::uint64_t at, const Hole& hole) { return at < hole.offset; });
    if (after != holes_.end() && offset + bytes == after->offset) {
      after->offset = offset, after->bytes += bytes;
    } else {
      after = holes_.insert(after, {offset, bytes});
    }
    if (after == holes_.begin()) return;
    const auto before = after - 1;
    if (before->offset + before->bytes != after->offset) return;
    before->bytes += after->bytes;
    holes_.erase(after);
  }

  std::uint64_t top() const { return top_; }

 private:
  struct Hole {
    std::uint64_t offset, bytes;
  };
  std::vector<Hole> holes_;
  std::uint64_t top_ = 0;
};

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

std::string nodeName(const manifest::Node& node, const OpRow& row) {
  return node.name.empty() ? std::string(row.name) : "`" + node.name + "`";
}

class Binder {
 public:
  Binder(const BindContext& context, const manifest::Graph& graph) : context_(context) { bound_.graph = &graph; }

  Result<BoundGraph> bind() {
    if (auto shaped = shapeValues(); !shaped) return tl::unexpected(std::move(shaped.error()));
    bound_.steps.reserve(bound_.graph->nodes.size());
    for (const manifest::Node& node : bound_.graph->nodes)
      if (auto added = addStep(node); !added) {
        if (added.error().places.empty()) added.error().places = node.places;
        return tl::unexpected(std::move(added.error()));
      }
    if (auto planned = plan(); !planned) return tl::unexpected(std::move(planned.error()));
    std::sort(bound_.found.begin(), bound_.found.end());
    bound_.found.erase(std::unique(bound_.found.begin(), bound_.found.end()), bound_.found.end());
    return std::move(bound_);
  }

 private:
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
                       "a tensor " + typeText(view.elem, view.shape) + " is too large to address");
      if (bound_.late[i]) bound_.planned[i] = view.bytes();
      if (!values[i].isConstant) continue;
      const manifest::Constant& constant = context_.manifest.constants[values[i].constant];
      for (int axis = 0; axis < view.shape.rank(); ++axis)
        if (constant.shape[static_cast<std::size_t>(axis)] != static_cast<std::uint64_t>(view.shape[axis]))
          return failure(ErrorCode::inconsistent, "bundle: constant `" + constant.name +
                                                      "` has another shape than its use, " +
                                                      typeText(view.elem, view.shape));
      view.data = const_cast<std::byte*>(context_.weights.data() + constant.offset);
    }
    return {};
  }

  tl::unexpected<RunError> badSize(std::size_t value, DimValue size) const {
    for (const manifest::Node& node : bound_.graph->nodes)
      if (std::find(node.outputs.begin(), node.outputs.end(), value) != node.outputs.end()) {
        auto error = failure(ErrorCode::badSize,
                             "a size of the result of " + nodeName(node, *operatorRow(node.op)) + " " + reason(size));
        error.value().places = node.places;
        return error;
      }
    return failure(ErrorCode::badSize, std::string("a size ") + reason(size));
  }

  Result<void> addStep(const manifest::Node& node) {
    Step& step = bound_.steps.emplace_back();
    step.row = operatorRow(node.op);
    step.node = &node;
    step.values = bound_.values.data();
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
    // An integer of an operator without inputs is a value; it may be unknown until the step runs.
    const bool asValue = node.bodies.empty() && node.inputs.empty();
    if (step.unknownInt != DimState::known && !asValue)
      return failure(ErrorCode::badSize,
                     "an attribute of " + nodeName(node, *step.row) + " " + reason({0, step.unknownInt}));
    for (std::uint32_t body : node.bodies) {
      auto graph = bindGraph(context_, context_.manifest.bodies[body]);
      if (!graph) return tl::unexpected(std::move(graph.error()));
      step.bodyBytes = std::max(step.bodyBytes, graph->arenaBytes);
      bound_.found.insert(bound_.found.end(), graph->found.begin(), graph->found.end());
      step.late =
          step.late || std::any_of(graph->steps.begin(), graph->steps.end(), [](const Step& s) { return s.late; });
      step.bodies.push_back(std::move(*graph));
    }
    // A late step is prepared in the run; preparing it here only computes the memory for its largest sizes.
    const char* problem = step.row->prepare(step);
    if (problem != nullptr && !step.late) return stepError(step, problem);
    step.workspacePlanned = step.workspaceBytes;
    addMacs(step.late ? std::nullopt : step.macs);
    return {};
  }

  tl::unexpected<RunError> stepError(const Step& step, const char* problem) const {
    std::string text = "bundle: " + nodeName(*step.node, *step.row) + ": " + step.row->name + " of ";
    for (int i = 0; i < step.inputCount(); ++i)
      text += (i > 0 ? ", " : "") + typeText(step.in(i).elem, step.in(i).shape);
    text += " to " + typeText(step.out(0).elem, step.out(0).shape) + ": " + problem;
    return failure(ErrorCode::inconsistent, std::move(text));
  }

  void addMacs(std::optional<std::uint64_t> macs) {
    std::uint64_t sum = 0;
    if (bound_.macs && macs && !__builtin_add_overflow(*bound_.macs, *macs, &sum))
      bound_.macs = sum;
    else
      bound_.macs = std::nullopt;
  }

  // A value lives from the step that computes it to the last step that reads it; an output of the graph to the end.
  Result<void> plan() {
    const manifest::Graph& graph = *bound_.graph;
    std::vector<std::uint32_t> lastUse(graph.values.size());
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
      for (std::uint32_t value : graph.nodes[i].outputs) lastUse[value] = i;
      for (std::uint32_t value : graph.nodes[i].inputs) lastUse[value] = i;
    }
    for (std::uint32_t value : graph.outputs) lastUse[value] = std::numeric_limits<std::uint32_t>::max();
    std::vector<Block> blocks;
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
      const Step& step = bound_.steps[i];
      if (step.workspacePlanned > addressable || step.bodyBytes > addressable) return tooMuchMemory();
      blocks.push_back({alignUp(step.workspacePlanned) + step.bodyBytes, i, i, 0});
      for (std::uint32_t value : graph.nodes[i].outputs)
        blocks.push_back({bound_.values[value].bytes(), i, lastUse[value], 0});
    }
    const auto bytes = planArena(blocks);
    if (!bytes) return tooMuchMemory();
    bound_.arenaBytes = *bytes;
    bound_.offsets.resize(graph.values.size());
    std::size_t block = 0;
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
      bound_.steps[i].workspaceOffset = blocks[block++].offset;
      for (std::uint32_t value : graph.nodes[i].outputs) bound_.offsets[value] = blocks[block++].offset;
    }
    return {};
  }

  static tl::unexpected<RunError> tooMuchMemory() {
    return failure(ErrorCode::outOfMemory, "the arena for these sizes is too large to address");
  }

  const BindContext& context_;
  BoundGraph bound_;
};

}  // namespace

std::optional<std::uint64_t> planArena(std::span<Block> blocks) {
  FreeList memory;
  const auto endsLater = [&](std::size_t a, std::size_t b) { return blocks[a].last > blocks[b].last; };
  std::vector<std::size_t> live;  // a heap, the first to end on top
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Block& block = blocks[i];
    while (!live.empty() && blocks[live.front()].last < block.first) {
      std::pop_heap(live.begin(), live.end(), endsLater);
      memory.release(blocks[live.back()].offset, alignUp(blocks[live.back()].bytes));
      live.pop_back();
    }
    if (block.bytes == 0) continue;
    if (block.bytes > addressable) return std::nullopt;
    block.offset = memory.allocate(alignUp(block.bytes));
    if (memory.top() > addressable) return std::nullopt;
    live.push_back(i);
    std::push_heap(live.begin(), live.end(), endsLater);
  }
  return memory.top();
}

Result<BoundGraph> bindGraph(const BindContext& context, const manifest::Graph& graph) {
  return Binder(context, graph).bind();
}

void placeGraph(BoundGraph& graph, std::byte* arena) {
  for (const manifest::Node& node : graph.graph->nodes)
    for (std::uint32_t value : node.outputs) graph.values[value].data = arena + graph.offsets[value];
  for (Step& step : graph.steps) {
    step.graph = &graph;
    step.workspace = arena + step.workspaceOffset;
    for (BoundGraph& body : step.bodies) placeGraph(body, step.workspace + alignUp(step.workspacePlanned));
  }
}

}  // namespace axle::runtime
