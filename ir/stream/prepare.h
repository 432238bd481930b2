// Rewrites of a streamed model into operators that work frame by frame, with the same results: what graphs of other
// systems write with loops that count, computed indices and merged dimensions.
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

// The patch of one node, none if there is nothing to rewrite.
using Rewrite = std::optional<Patch> (*)(Model& model, const StreamQuestion& question, const Uses& uses, GraphId graph,
                                         NodeId node);

// A While that counts the frames, reads the frame at the count and writes a result there is a loop over frames.
std::optional<Patch> loopOfWhile(Model&, const StreamQuestion&, const Uses&, GraphId, NodeId);
// A gather at positions that advance by a constant takes frames of an axis.
std::optional<Patch> framesOfGather(Model&, const StreamQuestion&, const Uses&, GraphId, NodeId);
// Rows that are padded, joined and cut one element shorter, as in TensorFlow's overlap_and_add: each row is the one
// before, one element later.
std::optional<Patch> shiftedRows(Model&, const StreamQuestion&, const Uses&, GraphId, NodeId);
// An image that is resized along the stream by a whole factor: mixes of neighbouring frames.
std::optional<Patch> resizedFrames(Model&, const StreamQuestion&, const Uses&, GraphId, NodeId);
// A fixed number of frames at steps are neighbours in a slice of the whole stream.
std::optional<Patch> steppedSlice(Model&, const StreamQuestion&, const Uses&, GraphId, NodeId);
// A dimension in front of the stream that is merged with it is kept apart: [b, T, ..] joined to [b*T, ..].
std::optional<Patch> keptApart(Model&, const StreamQuestion&, const Uses&, GraphId, NodeId);

// The elements of an integer tensor, row-major, as far as they are computed from sizes.
std::optional<std::vector<Dim>> integerElements(const Model& model, const Graph& graph, OutletId outlet);

}  // namespace stream

}  // namespace axle::ir
