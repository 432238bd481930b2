// Rewrites a slice of a fixed number of frames at a step, such as the end of a strided tensor that is padded. The
// frames are neighbours in a slice of the whole stream with this step.
#include "ir/passes/patch_builder.h"
#include "ir/stream/prepare.h"
#include "ir/stream/state.h"

namespace axle::ir::stream {

std::optional<Patch> steppedSlice(Model& model, const StreamQuestion& question, const Uses&, GraphId g, NodeId id) {
  constexpr std::int64_t mostSteps = 64;
  const Graph& graph = model.graphs[g.index];
  const Node& node = graph[id];
  if (node.op != Op::slice || g.index != 0) return std::nullopt;
  const auto slice = as<SliceAttributes>(node);
  DimStore& dims = *model.dims;
  const Fact &from = graph[node.inputs[0]].fact, &to = graph[node.outputs[0]].fact;
  const Dim length = from.shape[slice.axis], count = to.shape[slice.axis];
  const std::int64_t step = dims.asConstant(slice.step).value_or(1);
  if (step < 2 || step > mostSteps || !mentionsStream(model, question, length) || !dims.asConstant(count))
    return std::nullopt;
  for (std::int64_t rest = 0; rest < step; ++rest) {
    const Dim ahead = dims.sub(slice.start, dims.constant(rest)), at = dims.div(ahead, slice.step);
    if (dims.mul(at, slice.step) != ahead) continue;
    PatchBuilder patch(model, g, id);
    Fact all = withoutValue(from);
    all.shape[slice.axis] = dims.ceildiv(dims.sub(length, dims.constant(rest)), slice.step);
    const OutletId every =
        patch.wire(Op::slice, {node.inputs[0]}, SliceAttributes{slice.axis, dims.constant(rest), slice.step}, &all);
    patch.shunt(node.outputs[0],
                patch.wire(Op::slice, {every}, SliceAttributes{slice.axis, at, dims.constant(1)}, &to));
    return patch.finish("frames at steps are neighbours in a slice of all");
  }
  return std::nullopt;
}

}  // namespace axle::ir::stream
