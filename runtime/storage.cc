#include "runtime/storage.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "io/joined.h"
#include "runtime/check.h"
#include "runtime/kernels/strided.h"
#include "runtime/last_uses.h"
#include "runtime/run_sizes.h"

namespace axle::runtime {
namespace {

constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

class StorageSharing {
 public:
  StorageSharing(BoundGraph& bound, const manifest::Manifest& manifest)
      : bound_(bound), graph_(*bound.graph), manifest_(manifest) {}

  Result<void> share() {
    const std::size_t count = graph_.values.size();
    bound_.storage.resize(count);
    for (std::uint32_t v = 0; v < count; ++v) bound_.storage[v] = {v, 0};
    assigned_.resize(count);
    maker_.assign(count, never);
    findUses();
    for (std::size_t i = graph_.nodes.size(); i-- > 0;)
      if (graph_.nodes[i].alias && graph_.nodes[i].op == op::concat)
        if (const char* problem = placeParts(graph_.nodes[i])) return refuse(i, problem);
    for (std::uint32_t v = 0; v < count; ++v)
      if (maker_[v] == never || assigned_[v]) uses_[bound_.storage[v].root].add(v, lastUse_[v]);
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const manifest::Node& node = graph_.nodes[i];
      const char* problem = nullptr;
      if (node.alias && node.op != op::concat) problem = placeView(node);
      if (node.inPlace != 0) problem = placeInOperand(i);
      if (problem != nullptr) return refuse(i, problem);
      for (std::uint32_t v : node.outputs)
        if (!assigned_[v] || node.alias || node.inPlace != 0) uses_[bound_.storage[v].root].add(v, lastUse_[v]);
    }
    for (std::uint32_t v : graph_.outputs)
      if (!bound_.values[v].dense() || (bound_.storage[v].root != v && maker_[bound_.storage[v].root] == never))
        return inconsistent("an output of a graph is a view that it cannot be");
    return checkPitches();
  }

 private:
  void findUses() {
    lastUse_.resize(graph_.values.size());
    uses_.resize(graph_.values.size());
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      for (std::uint32_t v : graph_.nodes[i].outputs) maker_[v] = i, lastUse_[v] = i;
      for (std::uint32_t v : graph_.nodes[i].inputs) lastUse_[v] = i;
    }
    for (std::uint32_t v : graph_.outputs) lastUse_[v] = never;
  }

  bool late(const manifest::Node& node) const {
    const auto isLate = [&](std::uint32_t v) { return bound_.late[v]; };
    return std::any_of(node.inputs.begin(), node.inputs.end(), isLate) ||
           std::any_of(node.outputs.begin(), node.outputs.end(), isLate) ||
           std::any_of(node.ints.begin(), node.ints.end(), [&](std::uint32_t d) { return bound_.sizes->isLate(d); });
  }

  std::int64_t integer(const manifest::Node& node, std::size_t i) const {
    return bound_.sizes->dim(node.ints[i]).value;
  }

  // Makes `part` a view of `whole` that begins `start` elements along an axis.
  const char* placePart(std::uint32_t part, std::uint32_t whole, int axis, std::int64_t start) {
    TensorView& x = bound_.values[part];
    const TensorView& y = bound_.values[whole];
    if (assigned_[part]) return "a value is in the memory of two others";
    assigned_[part] = true;
    const auto strides = stridesOf(y);
    if (x.shape.rank() >= 2 && x.shape.elements() > x.columns() && y.rowPitch() != x.columns()) x.pitch = y.rowPitch();
    const auto own = stridesOf(x);
    for (int i = 0; i < x.shape.rank() && x.shape.elements() > 0; ++i)
      if (x.shape[i] > 1 && own[static_cast<std::size_t>(i)] != strides[static_cast<std::size_t>(i)])
        return "a part is no regular view of the whole";
    const auto at = static_cast<std::uint64_t>(start * strides[static_cast<std::size_t>(axis)]);
    bound_.storage[part] = {bound_.storage[whole].root, bound_.storage[whole].offset + at * info(x.elem).bytes};
    return nullptr;
  }

  const char* placeParts(const manifest::Node& node) {
    if (late(node)) return "a view of a size that the run finds";
    const std::uint32_t whole = node.outputs[0];
    const int axis = static_cast<int>(integer(node, 0));
    std::int64_t start = 0;
    for (std::uint32_t part : node.inputs) {
      if (maker_[part] == never) return "a part is not computed in this graph";
      if (const char* problem = placePart(part, whole, axis, start)) return problem;
      start += bound_.values[part].shape[axis];
    }
    return nullptr;
  }

  const char* placeView(const manifest::Node& node) {
    if (late(node)) return "a view of a size that the run finds";
    const std::uint32_t x = node.inputs[0], y = node.outputs[0];
    if (node.op == op::slice) {
      const auto axis = static_cast<int>(integer(node, 0));
      if (integer(node, 2) != 1 && bound_.values[y].shape[axis] > 1) return "a view with a step";
      return placePart(y, x, axis, integer(node, 1));
    }
    TensorView& view = bound_.values[y];
    const TensorView& of = bound_.values[x];
    if (assigned_[y]) return "a value is in the memory of two others";
    if (!of.dense() && of.columns() != view.columns()) return "a view of rows that are apart has other rows";
    assigned_[y] = true;
    view.pitch = of.pitch;
    bound_.storage[y] = bound_.storage[x];
    return nullptr;
  }

  const char* placeInOperand(std::uint32_t index) {
    const manifest::Node& node = graph_.nodes[index];
    const bool isPointwise = operatorRow(node.op)->choose != nullptr;
    const std::size_t first = isPointwise ? 0 : node.inputs.size() - node.epilogueInputs, at = node.inPlace - 1;
    if (at < first || at >= node.inputs.size() || node.outputs.size() != 1) return "its result is in no such operand";
    if (late(node)) return "a result in place of a size that the run finds";
    const std::uint32_t x = node.inputs[at], y = node.outputs[0], root = bound_.storage[x].root;
    const TensorView& of = bound_.values[x];
    TensorView& view = bound_.values[y];
    if (assigned_[y]) return "a value is in the memory of two others";
    if (maker_[x] == never || maker_[root] == never) return "its result is in memory that is not the program's";
    if (!(of.shape == view.shape) || info(of.elem).bytes != info(view.elem).bytes)
      return "its result and the operand that it replaces differ in type";
    for (std::size_t i = 0; i < first; ++i)
      if (node.inputs[i] == x) return "its result is in memory that it still reads";
    if (lastUse_[x] != index || (uses_[root].except(x) >= index && !isApartFromRest(x, index)))
      return "its result is in memory that is still needed";
    assigned_[y] = true;
    view.pitch = of.pitch;
    bound_.storage[y] = bound_.storage[x];
    return nullptr;
  }

  // Whether x, columns of wider rows, shares no elements with other values that are needed at a node or later: these
  // may only be operands of that node in other columns.
  bool isApartFromRest(std::uint32_t x, std::uint32_t index) const {
    const auto [root, offset] = bound_.storage[x];
    const TensorView& view = bound_.values[x];
    const auto& inputs = graph_.nodes[index].inputs;
    const bool isOneRow = view.shape.elements() <= view.columns();
    if (view.dense() && !isOneRow) return false;
    const std::uint64_t bytes = info(view.elem).bytes, width = static_cast<std::uint64_t>(view.pitch) * bytes;
    const auto end = [&](std::uint32_t v) {
      return bound_.storage[v].offset + static_cast<std::uint64_t>(bound_.values[v].columns()) * bytes;
    };
    std::size_t others = 0;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const std::uint32_t v = inputs[k];
      if (v == x || bound_.storage[v].root != root) continue;
      const TensorView& other = bound_.values[v];
      const bool isApart = other.pitch == view.pitch && other.elem == view.elem &&
                           (other.shape.elements() <= other.columns()) == isOneRow &&
                           (isOneRow || (end(v) <= width && end(x) <= width)) &&
                           (end(v) <= offset || end(x) <= bound_.storage[v].offset);
      if (!isApart || lastUse_[v] != index) return false;
      others += std::find(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(k), v) ==
                        inputs.begin() + static_cast<std::ptrdiff_t>(k)
                    ? 1
                    : 0;
    }
    return uses_[root].areAt(index, others + 1);
  }

  // Checks that kernels which need dense tensors get no others.
  Result<void> checkPitches() const {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const manifest::Node& node = graph_.nodes[i];
      if (node.alias) continue;
      const ops::KernelTraits traits = kernelTraits(node.op);
      bool takes = true;
      for (std::size_t k = 0; k < node.inputs.size(); ++k)
        takes = takes && (bound_.values[node.inputs[k]].dense() || k + node.epilogueInputs >= node.inputs.size() ||
                          readsPitched(traits, k));
      for (std::uint32_t v : node.outputs)
        takes = takes && (bound_.values[v].dense() || (traits & ops::writesPitched) != 0);
      if (!takes) return refuse(i, "its kernel takes no rows that are apart");
    }
    return {};
  }

  tl::unexpected<RunError> refuse(std::size_t index, const char* problem) const {
    const manifest::Node& node = graph_.nodes[index];
    NodeText text = describeNode(manifest_, graph_, node);
    auto error = inconsistent(joined({nodeLabel(text, graph_, node), ": ", operatorRow(node.op)->name, ": ", problem}));
    error.value().places = std::move(text.places);
    return error;
  }

  BoundGraph& bound_;
  const manifest::Graph& graph_;
  const manifest::Manifest& manifest_;
  Marks assigned_;  // whether a value lies in another value's memory
  std::vector<std::uint32_t> maker_, lastUse_;
  std::vector<LastUses> uses_;  // by root
};

}  // namespace

Result<void> shareStorage(BoundGraph& graph, const manifest::Manifest& manifest) {
  return StorageSharing(graph, manifest).share();
}

}  // namespace axle::runtime
