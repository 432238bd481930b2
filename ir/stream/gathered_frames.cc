// Rewrites gathers whose indices advance by a constant along the stream as `frame`. TensorFlow's signal.frame makes
// such gathers.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "ir/passes/patch_builder.h"
#include "ir/stream/prepare.h"
#include "ir/stream/state.h"

namespace axle::ir::stream {

namespace {

constexpr std::size_t mostOffsets = 1 << 16;

// An integer tensor whose element at (.., i, ..) is i*step + offset, for i along the axis that depends on the stream.
// `offsets` is indexed by the other axes, row-major. Without a streamed axis the step is 0.
struct Grid {
  Dims shape;
  std::optional<std::size_t> axis;
  std::int64_t step = 0;
  std::vector<std::int64_t> offsets;
};

struct Reader {
  const Model& model;
  const StreamQuestion& question;
  const Graph& graph;

  std::optional<Grid> grid(OutletId id) const;

 private:
  std::optional<Grid> emptyGrid(const Fact& fact) const;
  std::optional<std::vector<std::int64_t>> otherSizes(const Grid& grid) const;
  std::optional<Grid> ofIota(const Node& node) const;
  std::optional<Grid> ofReshape(const Node& node) const;
  std::optional<Grid> ofBroadcast(const Node& node) const;
  std::optional<Grid> ofBinary(const Node& node) const;
  std::optional<Grid> stretched(Grid grid, const Grid& to) const;
};

std::optional<Grid> Reader::emptyGrid(const Fact& fact) const {
  Grid grid{fact.shape, {}, 0, {}};
  std::size_t count = 1;
  for (std::size_t i = 0; i < fact.shape.size(); ++i) {
    if (mentionsStream(model, question, fact.shape[i])) {
      if (grid.axis) return std::nullopt;
      grid.axis = i;
      continue;
    }
    const auto size = model.dims->asConstant(fact.shape[i]);
    if (!size || *size < 0 || count * static_cast<std::size_t>(*size) > mostOffsets) return std::nullopt;
    count *= static_cast<std::size_t>(*size);
  }
  grid.offsets.assign(count, 0);
  return grid;
}

std::optional<Grid> Reader::ofIota(const Node& node) const {
  auto grid = emptyGrid(graph[node.outputs[0]].fact);
  if (!grid) return std::nullopt;
  const std::size_t axis = as<AxisAttributes>(node).axis;
  if (grid->axis == axis) {
    grid->step = 1;
    return grid;
  }
  std::size_t behind = 1;
  for (std::size_t i = axis + 1; i < grid->shape.size(); ++i)
    if (i != grid->axis) behind *= static_cast<std::size_t>(*model.dims->asConstant(grid->shape[i]));
  const auto size = static_cast<std::size_t>(*model.dims->asConstant(grid->shape[axis]));
  for (std::size_t i = 0; i < grid->offsets.size(); ++i)
    grid->offsets[i] = static_cast<std::int64_t>(i / behind % size);
  return grid;
}

// Reshapes a grid if the streamed axis keeps its size and the product of the sizes in front of it.
std::optional<Grid> Reader::ofReshape(const Node& node) const {
  auto from = grid(node.inputs[0]);
  auto to = from ? emptyGrid(graph[node.outputs[0]].fact) : std::nullopt;
  if (!to || to->axis.has_value() != from->axis.has_value() || to->offsets.size() != from->offsets.size())
    return std::nullopt;
  if (from->axis) {
    const auto before = [&](const Grid& grid) {
      std::int64_t product = 1;
      for (std::size_t i = 0; i < *grid.axis; ++i) product *= *model.dims->asConstant(grid.shape[i]);
      return product;
    };
    if (from->shape[*from->axis] != to->shape[*to->axis] || before(*from) != before(*to)) return std::nullopt;
  }
  to->step = from->step;
  to->offsets = std::move(from->offsets);
  return to;
}

// Broadcasts the grid to the shape of another one.
std::optional<Grid> Reader::stretched(Grid grid, const Grid& to) const {
  const std::size_t missing = to.shape.size() - grid.shape.size();
  if (grid.axis && (!to.axis || *grid.axis + missing != *to.axis)) return std::nullopt;
  Grid out{to.shape, to.axis, grid.step, std::vector<std::int64_t>(to.offsets.size())};
  for (std::size_t n = 0; n < out.offsets.size(); ++n) {
    std::size_t rest = n, at = 0, stride = 1;
    for (std::size_t i = to.shape.size(); i-- > 0;) {
      if (i == to.axis) continue;
      const auto size = static_cast<std::size_t>(*model.dims->asConstant(to.shape[i]));
      const std::size_t place = rest % size;
      rest /= size;
      if (i < missing || (grid.axis && i - missing == *grid.axis)) continue;
      const auto own = model.dims->asConstant(grid.shape[i - missing]);
      if (*own != 1) at += place * stride;
      stride *= static_cast<std::size_t>(*own);
    }
    out.offsets[n] = grid.offsets[at];
  }
  return out;
}

std::optional<Grid> Reader::ofBroadcast(const Node& node) const {
  auto from = grid(node.inputs[0]);
  auto to = from ? emptyGrid(graph[node.outputs[0]].fact) : std::nullopt;
  return to ? stretched(std::move(*from), *to) : std::nullopt;
}

std::optional<Grid> Reader::ofBinary(const Node& node) const {
  const auto to = emptyGrid(graph[node.outputs[0]].fact);
  auto a = to ? grid(node.inputs[0]) : std::nullopt, b = a ? grid(node.inputs[1]) : std::nullopt;
  if (b) a = stretched(std::move(*a), *to), b = stretched(std::move(*b), *to);
  if (!a || !b) return std::nullopt;
  const auto areAll = [](const Grid& grid, std::int64_t value) {
    return grid.step == 0 &&
           std::all_of(grid.offsets.begin(), grid.offsets.end(), [&](std::int64_t offset) { return offset == value; });
  };
  if (node.op == Op::div) {
    if (areAll(*b, 1)) return a;
    if (a->step != 0 || b->step != 0) return std::nullopt;
    for (std::size_t i = 0; i < a->offsets.size(); ++i) {
      if (a->offsets[i] < 0 || b->offsets[i] < 1) return std::nullopt;
      a->offsets[i] /= b->offsets[i];
    }
    return a;
  }
  if (node.op == Op::mul) {
    if (a->step == 0 && b->step != 0) std::swap(a, b);
    if (b->step != 0 || b->offsets.empty() || (a->step != 0 && !areAll(*b, b->offsets[0]))) return std::nullopt;
    a->step *= b->offsets[0];
    for (std::size_t i = 0; i < a->offsets.size(); ++i) a->offsets[i] *= b->offsets[i];
    return a;
  }
  const std::int64_t sign = node.op == Op::sub ? -1 : 1;
  a->step += sign * b->step;
  for (std::size_t i = 0; i < a->offsets.size(); ++i) a->offsets[i] += sign * b->offsets[i];
  return a;
}

std::optional<Grid> Reader::grid(OutletId id) const {
  const Node& node = graph.producer(id);
  switch (node.op) {
    case Op::iota:
      return ofIota(node);
    case Op::cast:
    case Op::copy:
      return info(graph[node.inputs[0]].fact.elem).isInt ? grid(node.inputs[0]) : std::nullopt;
    case Op::reshape:
      return ofReshape(node);
    case Op::broadcast:
      return ofBroadcast(node);
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
      return ofBinary(node);
    default:
      break;
  }
  auto out = emptyGrid(graph[id].fact);
  const auto elements = out ? integerElements(model, graph, id) : std::nullopt;
  if (!elements || out->axis || elements->size() != out->offsets.size()) return std::nullopt;
  for (std::size_t i = 0; i < elements->size(); ++i) {
    const auto number = model.dims->asConstant((*elements)[i]);
    if (!number) return std::nullopt;
    out->offsets[i] = *number;
  }
  return out;
}

// Whether `count` frames of `length`, which begin at `start` and advance by `step`, are within `size` in every
// sequence.
bool areInRange(const Model& model, const StreamQuestion& question, Dim size, Dim count, std::int64_t start,
                std::int64_t step, std::int64_t length) {
  constexpr std::int64_t horizon = 256;
  State s = begin(model, question);
  for (std::int64_t symbol = 0; symbol < horizon + 4 * (start + length); ++symbol) {
    const auto frames = valueAt(s, count, symbol), most = valueAt(s, size, symbol);
    if (!frames || !most) return false;
    if (*frames > 0 && (*frames - 1) * step + start + length > *most) return false;
  }
  return true;
}

ConstantId numbers(Model& model, const std::vector<std::int64_t>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(std::int64_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return model.addConstant(Elem::i64, {static_cast<std::int64_t>(values.size())}, std::move(bytes));
}

// Wires frames along `axis` of x, takes the grid's offsets of each frame, and gives them the shape of the gather.
OutletId takeFrames(PatchBuilder& patch, OutletId x, std::size_t axis, const Grid& grid, Dims result) {
  Model& model = patch.model();
  DimStore& dims = patch.dims();
  const auto [least, most] = std::minmax_element(grid.offsets.begin(), grid.offsets.end());
  const std::int64_t length = *most - *least + 1;
  const Dim frames = grid.shape[*grid.axis];
  if (*least > 0) {
    Fact rest = patch.tap(x);
    rest.shape[axis] = dims.sub(rest.shape[axis], dims.constant(*least));
    x = patch.wire(Op::slice, {x}, SliceAttributes{axis, dims.constant(*least), dims.constant(1)}, &rest);
    if (!x) return x;
  }
  Fact framed = patch.tap(x);
  framed.shape[axis] = frames;
  framed.shape.insert(framed.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, dims.constant(length));
  x = patch.wire(Op::frame, {x}, FrameAttributes{axis, dims.constant(grid.step)}, &framed);
  std::vector<std::int64_t> places;
  for (std::int64_t offset : grid.offsets) places.push_back(offset - *least);
  std::vector<std::int64_t> inOrder(static_cast<std::size_t>(length));
  std::iota(inOrder.begin(), inOrder.end(), 0);
  if (places != inOrder)
    x = patch.wire(Op::gather, {x, patch.wireConstant(numbers(model, places))}, AxisAttributes{axis + 1});
  if (!x) return x;
  // So far the frames come first, then the other axes of the indices.
  const std::size_t ids = grid.shape.size();
  const auto at = [&](std::size_t i) { return result.begin() + static_cast<std::ptrdiff_t>(i); };
  std::rotate(at(axis), at(axis + *grid.axis), at(axis + *grid.axis + 1));
  x = patch.wireReshape(x, result);
  if (!x || *grid.axis == 0) return x;
  Axes perm(result.size());
  std::iota(perm.begin(), perm.end(), std::size_t{0});
  const auto first = perm.begin() + static_cast<std::ptrdiff_t>(axis);
  std::rotate(first, first + 1, first + static_cast<std::ptrdiff_t>(*grid.axis) + 1);
  return ids == 1 ? x : patch.wire(Op::transpose, {x}, PermAttributes{std::move(perm)});
}

}  // namespace

std::optional<Patch> framesOfGather(Model& model, const StreamQuestion& question, const Uses&, GraphId g, NodeId id) {
  const Graph& graph = model.graphs[g.index];
  const Node& node = graph[id];
  if (node.op != Op::gather || g.index != 0) return std::nullopt;
  const std::size_t axis = as<AxisAttributes>(node).axis;
  const Dim size = graph[node.inputs[0]].fact.shape[axis];
  if (!mentionsStream(model, question, size)) return std::nullopt;
  const auto grid = Reader{model, question, graph}.grid(node.inputs[1]);
  if (!grid || !grid->axis || grid->step < 1 || grid->offsets.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(grid->offsets.begin(), grid->offsets.end());
  if (*least < 0 || *most - *least >= static_cast<std::int64_t>(mostOffsets) ||
      !areInRange(model, question, size, grid->shape[*grid->axis], *least, grid->step, *most - *least + 1))
    return std::nullopt;
  PatchBuilder patch(model, g, id);
  patch.shunt(node.outputs[0], takeFrames(patch, node.inputs[0], axis, *grid, graph[node.outputs[0]].fact.shape));
  return patch.finish("a gather at positions that advance takes frames");
}

}  // namespace axle::ir::stream
