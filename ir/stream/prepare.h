// Rewrites a streamed model into operators that work frame by frame, with the same results. Graphs of other systems use
// counting loops, computed indices and merged dimensions instead.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "ir/passes/patch.h"
#include "ir/stream/analysis.h"

namespace axle::ir {

// Does nothing to a model without streamed inputs. An error is a bug of a rewrite.
tl::expected<void, std::string> prepareStream(Model& model, const StreamQuestion& question);

namespace stream {

// Returns the patch of one node, or nothing if there is nothing to rewrite.
using Rewrite = std::optional<Patch> (*)(Model& model, const StreamQuestion& question, const Uses& uses, GraphId graph,
                                         NodeId node);

// Makes a loop over frames of a While that counts the frames, reads the frame at the count and writes a result there.
std::optional<Patch> loopOfWhile(Model&, const StreamQuestion&, const Uses&, GraphId, NodeId);
// Makes `frame` of a gather at positions that advance by a constant.
std::optional<Patch> framesOfGather(Model&, const StreamQuestion&, const Uses&, GraphId, NodeId);
// Shifts each row by one element more than the row before, instead of padding, joining and cutting the rows one element
// shorter as in TensorFlow's overlap_and_add.
std::optional<Patch> shiftedRows(Model&, const StreamQuestion&, const Uses&, GraphId, NodeId);
// Makes mixes of neighbouring frames of an image that is resized along the stream by a whole factor.
std::optional<Patch> resizedFrames(Model&, const StreamQuestion&, const Uses&, GraphId, NodeId);
// Slices the whole stream by a step first, so that a fixed number of frames at this step are neighbours.
std::optional<Patch> steppedSlice(Model&, const StreamQuestion&, const Uses&, GraphId, NodeId);
// Keeps a dimension separate that a reshape merges with the stream behind it: [b, T, ..] joined to [b*T, ..].
std::optional<Patch> keptApart(Model&, const StreamQuestion&, const Uses&, GraphId, NodeId);

// Returns the elements of an integer tensor, row-major, if they are computed from sizes.
std::optional<std::vector<Dim>> integerElements(const Model& model, const Graph& graph, OutletId outlet);

}  // namespace stream

}  // namespace axle::ir
