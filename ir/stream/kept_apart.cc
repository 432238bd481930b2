// Keeps a dimension in front of the stream separate that a reshape merges with it. TensorFlow and matrix products write
// dense layers over [b, T, c] as rows [b*T, c]; here the operators work on [b, T, c] until the dimensions are divided
// again.
#include <algorithm>

#include "ir/ops/table.h"
#include "ir/passes/attributes.h"
#include "ir/passes/patch_builder.h"
#include "ir/stream/prepare.h"
#include "ir/stream/state.h"

namespace axle::ir::stream {

namespace {

constexpr std::int64_t mostParts = 4096;  // of a frame

// A reshape that merges the stream with axes in front of it, and perhaps with parts of frames, which then count as
// frames. Axis `axis` of its result is outer * frames.
struct Merge {
  OutletId from;
  std::size_t axis = 0;
  Dim outer, frames;
};

std::optional<std::size_t> onlyStreamedAxis(const Model& model, const StreamQuestion& question, const Dims& shape) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!mentionsStream(model, question, shape[i])) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::optional<Merge> mergeOf(const Model& model, const StreamQuestion& question, const Graph& graph, OutletId outlet) {
  const Node& node = graph.producer(outlet);
  if (node.op != Op::reshape) return std::nullopt;
  const Dims &x = graph[node.inputs[0]].fact.shape, &y = graph[outlet].fact.shape;
  const auto from = onlyStreamedAxis(model, question, x), to = onlyStreamedAxis(model, question, y);
  if (!from || !to || x[*from] == y[*to]) return std::nullopt;
  const auto product = [&](const Dims& shape, std::size_t begin, std::size_t end) {
    Dim all = model.dims->constant(1);
    for (std::size_t i = begin; i < end; ++i) all = model.dims->mul(all, shape[i]);
    return all;
  };
  for (std::size_t first = *from; first-- > 0;) {
    const Dim outer = product(x, first, *from);
    if (model.dims->asConstant(outer) == 1) continue;
    // If the product of the sizes in front is the same, so is the product of the sizes behind.
    if (product(x, 0, first) != product(y, 0, *to)) continue;
    const std::int64_t inner = model.dims->asConstant(product(x, *from + 1, x.size())).value_or(1);
    for (std::int64_t parts = 1; parts <= std::min(inner, mostParts); ++parts) {
      if (inner % parts != 0) continue;
      const Dim frames = model.dims->mul(x[*from], model.dims->constant(parts));
      if (model.dims->mul(outer, frames) == y[*to]) return Merge{node.inputs[0], *to, outer, frames};
    }
  }
  return std::nullopt;
}

struct Splitter {
  const Model& model;
  const StreamQuestion& question;
  const Graph& graph;
  const Node& node;
  PatchBuilder& patch;

  Dims divided(Dims shape, const Merge& merge, std::size_t axis) const {
    shape[axis] = merge.frames;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), merge.outer);
    return shape;
  }

  // Returns an operand with separate dimensions, or no outlet if that is not possible.
  OutletId operand(std::size_t k, const Merge& merge, std::size_t rank) const;
  OutletId pointwise(const Merge& merge) const;
  OutletId alongAxis(const Merge& merge) const;
  OutletId product(const Merge& merge) const;
  OutletId rows(const Merge& merge) const;
  OutletId result(const Merge& merge) const;

 private:
  bool readsSizes() const;
  OutletId swapped(OutletId x) const;
};

OutletId Splitter::operand(std::size_t k, const Merge& merge, std::size_t rank) const {
  const OutletId outlet = node.inputs[k];
  const Dims& shape = graph[outlet].fact.shape;
  if (const auto own = mergeOf(model, question, graph, outlet)) {
    const bool isAlike =
        own->outer == merge.outer && own->frames == merge.frames && rank - shape.size() + own->axis == merge.axis;
    return isAlike ? patch.wireReshape(own->from, divided(shape, *own, own->axis)) : OutletId{};
  }
  const std::size_t behind = rank - merge.axis - 1;  // axes behind the merged one
  if (shape.size() <= behind) return outlet;
  const std::size_t at = shape.size() - 1 - behind;
  if (model.dims->asConstant(shape[at]) != 1) return {};
  Dims apart = shape;
  apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(at), model.dims->constant(1));
  return patch.wireReshape(outlet, std::move(apart));
}

OutletId Splitter::pointwise(const Merge& merge) const {
  const Fact& fact = graph[node.outputs[0]].fact;
  std::vector<OutletId> inputs;
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    inputs.push_back(operand(k, merge, fact.shape.size()));
    if (!inputs.back()) return {};
  }
  const Fact declared{fact.elem, divided(fact.shape, merge, merge.axis), {}};
  return patch.wire(node.op, std::move(inputs), node.attributes, &declared);
}

// Wires a reduction, argMax or argMin along another axis.
OutletId Splitter::alongAxis(const Merge& merge) const {
  const std::size_t axis = as<AxisAttributes>(node).axis;
  if (axis == merge.axis || (node.inputs.size() > 1 && !graph[node.inputs[1]].fact.shape.empty())) return {};
  std::vector<OutletId> inputs = node.inputs;
  inputs[0] = patch.wireReshape(merge.from, divided(graph[node.inputs[0]].fact.shape, merge, merge.axis));
  const Fact& fact = graph[node.outputs[0]].fact;
  const Fact declared{fact.elem, divided(fact.shape, merge, merge.axis - (axis < merge.axis)), {}};
  return patch.wire(node.op, std::move(inputs), AxisAttributes{axis + (axis > merge.axis)}, &declared);
}

// Wires a product with a matrix as a convolution with a window of one frame, over any number of sequences.
OutletId Splitter::product(const Merge& merge) const {
  DimStore& dims = patch.dims();
  const Dims &x = graph[node.inputs[0]].fact.shape, &w = graph[node.inputs[1]].fact.shape;
  for (std::size_t i = 0; i + 2 < w.size(); ++i)
    if (dims.asConstant(w[i]) != 1) return {};
  if (merge.axis + 2 != x.size() || onlyStreamedAxis(model, question, w)) return {};
  const Dim one = dims.constant(1), zero = dims.constant(0);
  const OutletId rows = patch.wireReshape(merge.from, {merge.outer, merge.frames, x.back()});
  const OutletId filter = patch.wireReshape(node.inputs[1], {one, w.end()[-2], w.back()});
  return patch.wire(Op::conv, {rows, filter}, ConvAttributes{{one}, {zero}, {zero}, {one}, {one}, one});
}

// Wires any operator that computes each of the rows [outer*frames, ..] alone: on [frames*outer, ..], where the rows of
// a frame are adjacent.
OutletId Splitter::rows(const Merge& merge) const {
  DimStore& dims = patch.dims();
  const Fact& fact = graph[node.outputs[0]].fact;
  const Dim all = dims.mul(merge.outer, merge.frames);
  if (merge.axis != 0 || !dims.asConstant(merge.outer) || fact.shape.empty() || fact.shape[0] != all ||
      onlyStreamedAxis(model, question, fact.shape) != 0 || readsSizes())
    return {};
  const AxisMap map = axes(model, graph, node);
  std::vector<OutletId> inputs = node.inputs;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Dims& shape = graph[inputs[k]].fact.shape;
    if (std::none_of(shape.begin(), shape.end(), [&](Dim d) { return mentionsStream(model, question, d); })) continue;
    const auto own = mergeOf(model, question, graph, inputs[k]);
    const AxisLink* link = map.find(0, 0, k);
    if (!own || own->axis != 0 || own->outer != merge.outer || own->frames != merge.frames || !link ||
        link->from.axis != 0 || link->window)
      return {};
    const OutletId framesFirst = swapped(patch.wireReshape(own->from, divided(shape, *own, 0)));
    inputs[k] = patch.wireReshape(framesFirst, shape);
  }
  const OutletId result = patch.wire(node.op, std::move(inputs), node.attributes, &fact);
  if (!result) return {};
  Dims apart = fact.shape;
  apart[0] = merge.outer;
  apart.insert(apart.begin(), merge.frames);
  return swapped(patch.wireReshape(result, std::move(apart)));
}

bool Splitter::readsSizes() const {
  bool found = !node.checks.empty() || !node.runSizes.empty() || !node.after.empty();
  Attributes attributes = node.attributes;
  changeSizes(attributes, [&](Dim& d) { found |= mentionsStream(model, question, d); });
  return found;
}

// Exchanges the first two dimensions.
OutletId Splitter::swapped(OutletId x) const {
  if (!x) return x;
  Axes perm = exchangeFirstAxes(patch.tap(x).shape.size());
  if (x.index < graph.outlets.size()) {
    const Node& producer = graph.producer(x);
    if (producer.op == Op::transpose && as<PermAttributes>(producer).perm == perm) return producer.inputs[0];
  }
  return patch.wire(Op::transpose, {x}, PermAttributes{std::move(perm)});
}

OutletId Splitter::result(const Merge& merge) const {
  if (node.op == Op::reshape) return merge.from;
  if (node.op == Op::matmul) return product(merge);
  if (isUnaryPointwise(node.op) || isBinaryPointwise(node.op) || node.op == Op::select || node.op == Op::cast ||
      node.op == Op::bitcast)
    return pointwise(merge);
  switch (node.op) {
    case Op::reduceSum:
    case Op::reduceProd:
    case Op::reduceMax:
    case Op::reduceMin:
    case Op::argMax:
    case Op::argMin:
      return alongAxis(merge);
    default:
      return rows(merge);
  }
}

}  // namespace

std::optional<Patch> keptApart(Model& model, const StreamQuestion& question, const Uses&, GraphId g, NodeId id) {
  const Graph& graph = model.graphs[g.index];
  const Node& node = graph[id];
  if (g.index != 0 || node.outputs.size() != 1 || !node.bodies.empty()) return std::nullopt;
  std::optional<Merge> merge;
  const std::size_t rank = graph[node.outputs[0]].fact.shape.size();
  for (std::size_t k = 0; k < node.inputs.size() && !merge; ++k) {
    merge = mergeOf(model, question, graph, node.inputs[k]);
    const std::size_t own = graph[node.inputs[k]].fact.shape.size();
    const bool broadcasts = node.op != Op::reshape && node.op != Op::matmul && k > 0;
    if (merge && broadcasts) merge->axis += rank - own;
    if (merge && k > 0 && (node.op == Op::matmul || rank < own)) merge.reset();
  }
  if (!merge) return std::nullopt;
  PatchBuilder patch(model, g, id);
  const OutletId apart = Splitter{model, question, graph, node, patch}.result(*merge);
  if (!apart) return std::nullopt;
  patch.shunt(node.outputs[0], patch.wireReshape(apart, graph[node.outputs[0]].fact.shape));
  return patch.finish("keep a dimension apart from the stream");
}

}  // namespace axle::ir::stream
