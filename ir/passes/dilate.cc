// Rewrites a convolution over blocks in the batch as a dilated one. TensorFlow writes [1, t, c] as [d, t / d, c], where
// row r has each d-th position from r on, convolves each row, and puts the positions back (SpaceToBatch, BatchToSpace).
#include <algorithm>

#include "ir/passes/pass.h"
#include "ir/passes/patch_builder.h"

namespace axle::ir {

namespace {

// Returns the axes whose size is not 1. Reshapes that add or drop axes of size 1 keep them.
std::vector<std::size_t> wideAxes(const DimStore& dims, const Dims& shape) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (dims.asConstant(shape[i]) != 1) axes.push_back(i);
  return axes;
}

Dims wideSizes(const DimStore& dims, const Dims& shape) {
  Dims sizes;
  for (std::size_t axis : wideAxes(dims, shape)) sizes.push_back(shape[axis]);
  return sizes;
}

class DilationBlocks {
 public:
  DilationBlocks(const Model& model, const Graph& graph, const Uses& uses, GraphId id)
      : dims_(*model.dims), graph_(graph), uses_(uses), id_(id) {}

  // Goes up through reshapes that only add or drop axes of size 1.
  OutletId above(OutletId id) const {
    while (isUnitReshape(graph_.producer(id))) id = graph_.producer(id).inputs[0];
    return id;
  }
  // Goes down through such reshapes while there is one reader.
  OutletId below(OutletId id) const {
    for (const Node* reader = onlyReader(id); reader && isUnitReshape(*reader); reader = onlyReader(id))
      id = reader->outputs[0];
    return id;
  }
  // Returns the only reader of an outlet; null if there is not exactly one, or the outlet is a result.
  const Node* onlyReader(OutletId id) const {
    if (uses_.count(id_, id) != 1 || uses_.graphs[id_.index].readers[id.index].size() != 1 || uses_.isBoundary(id_, id))
      return nullptr;
    return &graph_[uses_.graphs[id_.index].readers[id.index][0]];
  }
  // Whether a transposition exchanges the first two wide axes and nothing else.
  bool exchangesFirstTwo(const Node& node) const {
    if (node.op != Op::transpose) return false;
    const Axes& perm = as<PermAttributes>(node).perm;
    const auto from = wideAxes(dims_, shape(node.inputs[0]));
    if (from.size() < 2) return false;
    std::vector<std::size_t> order;  // the operand's wide axis of each wide axis of the result
    for (std::size_t axis : perm)
      if (const auto at = std::find(from.begin(), from.end(), axis); at != from.end())
        order.push_back(static_cast<std::size_t>(at - from.begin()));
    if (order[0] != 1 || order[1] != 0) return false;
    for (std::size_t i = 2; i < order.size(); ++i)
      if (order[i] != i) return false;
    return true;
  }
  // Whether a reshape makes [t, ..rest] of [t / d, d, ..rest], apart from axes of size 1.
  bool joins(const Dims& blocks, const Dims& whole, Dim d) const {
    const Dims from = wideSizes(dims_, blocks), to = wideSizes(dims_, whole);
    return from.size() == to.size() + 1 && from[1] == d && std::equal(from.begin() + 2, from.end(), to.begin() + 1);
  }
  const Dims& shape(OutletId id) const { return graph_[id].fact.shape; }

 private:
  bool isUnitReshape(const Node& node) const {
    return node.op == Op::reshape &&
           wideSizes(dims_, shape(node.inputs[0])) == wideSizes(dims_, shape(node.outputs[0]));
  }

  const DimStore& dims_;
  const Graph& graph_;
  const Uses& uses_;
  GraphId id_;
};

}  // namespace

std::optional<Patch> dilateWindow(Model& model, const Uses& uses, GraphId graphId, NodeId id) {
  const Graph& graph = model.graphs[graphId.index];
  const Node& conv = graph[id];
  if (conv.op != Op::conv) return std::nullopt;
  DimStore& dims = *model.dims;
  const DilationBlocks blocks(model, graph, uses, graphId);
  const Dims &x = blocks.shape(conv.inputs[0]), &y = blocks.shape(conv.outputs[0]);
  const auto wide = wideAxes(dims, x);
  const auto d = dims.asConstant(x[0]);
  if (!d || *d < 2 || wide.size() < 2 || wide[1] + 1 >= x.size() || y[0] != x[0] || dims.asConstant(y[wide[1]]) == 1)
    return std::nullopt;
  const std::size_t axis = wide[1], k = axis - 1;  // the axis that was cut into blocks
  auto attributes = as<ConvAttributes>(conv);
  const Dim one = dims.constant(1), zero = dims.constant(0);
  if (attributes.strides[k] != one || attributes.spreads[k] != one || attributes.before[k] != zero ||
      attributes.after[k] != zero)
    return std::nullopt;

  const Node& apart = graph.producer(blocks.above(conv.inputs[0]));
  if (!blocks.exchangesFirstTwo(apart)) return std::nullopt;
  const Node& split = graph.producer(blocks.above(apart.inputs[0]));
  if (split.op != Op::reshape || !blocks.joins(blocks.shape(split.outputs[0]), blocks.shape(split.inputs[0]), x[0]))
    return std::nullopt;
  const Node* together = blocks.onlyReader(blocks.below(conv.outputs[0]));
  if (!together || !blocks.exchangesFirstTwo(*together)) return std::nullopt;
  const OutletId interleaved = blocks.below(together->outputs[0]);
  const Node* whole = blocks.onlyReader(interleaved);
  if (!whole || whole->op != Op::reshape ||
      !blocks.joins(blocks.shape(interleaved), blocks.shape(whole->outputs[0]), x[0]))
    return std::nullopt;

  const OutletId from = split.inputs[0], to = whole->outputs[0], filter = conv.inputs[1];
  Dims in = x;
  in[0] = one, in[axis] = wideSizes(dims, blocks.shape(from))[0];
  Fact out = graph[conv.outputs[0]].fact;
  out.shape[0] = one, out.shape[axis] = wideSizes(dims, blocks.shape(to))[0];
  const Dims result = blocks.shape(to);
  attributes.dilations[k] = dims.mul(attributes.dilations[k], dims.constant(*d));
  PatchBuilder patch(model, graphId, id);
  const OutletId read = patch.wireReshape(from, std::move(in));
  const OutletId made = patch.wire(Op::conv, {read, filter}, attributes, &out);
  patch.shunt(to, patch.wireReshape(made, result));
  return patch.finish("make a convolution of " + std::to_string(*d) + " blocks a dilated one");
}

}  // namespace axle::ir
