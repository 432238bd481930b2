// Rewrites rows that TensorFlow's overlap_and_add shifts: it pads the rows of a matrix, joins them to one and cuts it
// into rows that are one element shorter, so that row s is s elements late. A stream computes this row by row.
#include <algorithm>

#include "ir/passes/attributes.h"
#include "ir/passes/patch_builder.h"
#include "ir/stream/prepare.h"
#include "ir/stream/state.h"

namespace axle::ir::stream {

namespace {

constexpr std::int64_t mostRows = 64;

bool padsWithZeros(const Model& model, const Graph& graph, const Node& pad) {
  if (pad.inputs.size() < 2) return true;
  const Node& value = graph.producer(pad.inputs[1]);
  return value.op == Op::constant && repeatedNumber(model[value.constant]) == 0.0;
}

// Returns how many positions at the end of an axis are known to be 0.
std::int64_t zerosBehind(const Model& model, const Graph& graph, OutletId outlet, std::size_t axis) {
  while (true) {
    const Node& node = graph.producer(outlet);
    if (node.op == Op::pad)
      return padsWithZeros(model, graph, node) ? model.dims->asConstant(as<PadAttributes>(node).after[axis]).value_or(0)
                                               : 0;
    if (node.op != Op::transpose && node.op != Op::reshape && node.op != Op::copy) return 0;
    const AxisMap map = axes(model, graph, node);
    const AxisLink* link = map.find(0, axis, 0);
    if (!link || link->window) return 0;
    axis = link->from.axis;
    outlet = node.inputs[0];
  }
}

// The rows p@[rows, length]@s, which are joined along `axis`, cut, and divided again.
struct Rows {
  OutletId from;
  std::size_t axis = 0;
  std::int64_t rows = 0;
};

std::optional<Rows> rowsOf(const Model& model, const Graph& graph, const Node& divide) {
  if (divide.op != Op::reshape) return std::nullopt;
  const Node& cut = graph.producer(divide.inputs[0]);
  if (cut.op != Op::slice) return std::nullopt;
  const auto& slice = as<SliceAttributes>(cut);
  const Node& join = graph.producer(cut.inputs[0]);
  if (join.op != Op::reshape || model.dims->asConstant(slice.start) != 0 || model.dims->asConstant(slice.step) != 1)
    return std::nullopt;
  Rows found{join.inputs[0], slice.axis, 0};
  const Dims& whole = graph[found.from].fact.shape;
  const Dims& divided = graph[divide.outputs[0]].fact.shape;
  if (found.axis + 1 >= whole.size() || whole.size() != divided.size() ||
      graph[join.outputs[0]].fact.shape.size() + 1 != whole.size())
    return std::nullopt;
  found.rows = model.dims->asConstant(whole[found.axis]).value_or(0);
  Dims expected = whole;
  expected[found.axis + 1] = model.dims->sub(whole[found.axis + 1], model.dims->constant(1));
  Dims joined = whole;
  joined.erase(joined.begin() + static_cast<std::ptrdiff_t>(found.axis));
  joined[found.axis] = model.dims->mul(whole[found.axis], whole[found.axis + 1]);
  const bool fits = divided == expected && graph[join.outputs[0]].fact.shape == joined;
  return fits && found.rows >= 2 && found.rows <= mostRows ? std::optional(found) : std::nullopt;
}

}  // namespace

std::optional<Patch> shiftedRows(Model& model, const StreamQuestion& question, const Uses&, GraphId g, NodeId id) {
  const Graph& graph = model.graphs[g.index];
  const auto found = g.index == 0 ? rowsOf(model, graph, graph[id]) : std::nullopt;
  if (!found) return std::nullopt;
  const std::size_t along = found->axis + 1;
  const Dim length = graph[found->from].fact.shape[along];
  if (!mentionsStream(model, question, length) || zerosBehind(model, graph, found->from, along) < found->rows)
    return std::nullopt;
  PatchBuilder patch(model, g, id);
  DimStore& dims = patch.dims();
  std::vector<OutletId> rows;
  for (std::int64_t row = 0; row < found->rows; ++row) {
    Fact fact = graph[found->from].fact;
    fact.shape[found->axis] = dims.constant(1);
    OutletId x =
        patch.wire(Op::slice, {found->from}, SliceAttributes{found->axis, dims.constant(row), dims.constant(1)}, &fact);
    fact.shape[along] = dims.sub(length, dims.constant(row + 1));
    x = patch.wire(Op::slice, {x}, SliceAttributes{along, dims.constant(0), dims.constant(1)}, &fact);
    PadAttributes pad{Dims(fact.shape.size(), dims.constant(0)), Dims(fact.shape.size(), dims.constant(0))};
    pad.before[along] = dims.constant(row);
    if (row > 0) x = patch.wire(Op::pad, {x}, std::move(pad));
    rows.push_back(x);
  }
  patch.shunt(graph[id].outputs[0], patch.wire(Op::concat, std::move(rows), AxisAttributes{found->axis}));
  return patch.finish("rows that are cut one element shorter are shifted rows");
}

}  // namespace axle::ir::stream
