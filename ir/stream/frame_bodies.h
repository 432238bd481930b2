// Handles operators whose bodies work on frames: a `map` over the rows of [4, T], a fold over features, an `if`.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "ir/stream/analysis.h"

namespace axle::ir::stream {

// Whether the bodies compute each frame from the same frame of their operands and from tensors that do not stream. Then
// they do so for any number of frames.
bool worksFrameByFrame(const Model& model, const StreamQuestion& question, const Graph& graph, const Node& node);

// Moves operators that work on several frames together out of bodies: unrolls loops with a fixed number of iterations,
// computes both branches of an `if`, and moves out results that a body reads from a whole stream. Returns whether the
// model has changed; an error is a bug.
tl::expected<bool, std::string> openFrameBodies(Model& model, const StreamQuestion& question);

}  // namespace axle::ir::stream
