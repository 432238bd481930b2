#include "ir/stream/prepare.h"

#include <algorithm>

#include "ir/passes/pass.h"
#include "ir/stream/frame_bodies.h"
#include "ir/stream/state.h"

namespace axle::ir {

tl::expected<void, std::string> prepareStream(Model& model, const StreamQuestion& question) {
  const auto isStreamed = [&](OutletId input) {
    const auto& shape = model.main()[input].fact.shape;
    return std::any_of(shape.begin(), shape.end(), [&](Dim d) { return stream::mentionsStream(model, question, d); });
  };
  if (std::none_of(model.main().inputs.begin(), model.main().inputs.end(), isStreamed)) return {};
  constexpr stream::Rewrite rewrites[]{stream::loopOfWhile,   stream::framesOfGather, stream::shiftedRows,
                                       stream::resizedFrames, stream::steppedSlice,   stream::keptApart};
  const auto opened = stream::openFrameBodies(model, question);
  if (!opened) return tl::unexpected(opened.error());
  bool isChanged = *opened;
  for (const stream::Rewrite rewrite : rewrites) {
    const auto step = [&](const Uses& uses, GraphId graph, NodeId node) {
      auto patch = rewrite(model, question, uses, graph, node);
      isChanged = isChanged || patch;
      return patch;
    };
    if (auto done = rewriteEverywhere(model, {}, step); !done) return tl::unexpected(done.error());
  }
  if (!isChanged) return {};
  for (const char* name : {"trim-bodies", "prune"})
    if (auto done = runPass(model, {}, *passNamed(name)); !done) return tl::unexpected(done.error());
  return {};
}

}  // namespace axle::ir
