// Operators with bodies whose bodies work on frames: a `map` over the rows of [4, T], a fold over features, an `if`.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "ir/stream/analysis.h"

namespace axle::ir::stream {

// Whether the bodies compute each frame from that frame of their operands and from what does not stream. They then do
// so with any number of frames.
bool worksFrameByFrame(const Model& model, const StreamQuestion& question, const Graph& graph, const Node& node);

// Takes the operators of bodies that work on several frames together out of them: iterations of a fixed number, both
// branches of an `if`, and what a body reads of a whole stream. True if the model has changed; an error is a bug.
tl::expected<bool, std::string> openFrameBodies(Model& model, const StreamQuestion& question);

}  // namespace axle::ir::stream
