// Buffers of partial sums. When an input frame arrives, its stage adds the frame's share to every sum that depends on
// it. A sum is complete once no later input frame has a share in it.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/stream/network.h"

namespace axle::runtime {

// The first sum that a stage's frame has a share in. Later frames of the stage have no share in earlier sums.
std::int64_t firstSum(const manifest::Sink& sink, std::int64_t frame);
// One past the last sum that the stage's frames before `end` have a share in.
std::int64_t endOfSums(const manifest::Sink& sink, std::int64_t end);
// The largest endOfSums() - firstSum() for `frames` consecutive frames of the stage.
std::int64_t mostSums(const manifest::Sink& sink, std::int64_t frames);

// The number of frames that such a stage can process now; once its operand has ended, all that read one of its frames.
std::int64_t framesToAdd(const StageSource& source, const Frames& operand);

// The shape of one sum, given the shape of the shares for `frames` frames; none if that does not fit.
std::optional<Shape> shapeOfSum(const manifest::Sink& sink, int axis, Shape shares, std::int64_t frames);
// Adds the shares of the frames [first, first + frames) of a stage. Requires room for them.
void addShares(Frames& sums, const manifest::Sink& sink, int axis, const TensorView& shares, std::int64_t first,
               std::int64_t frames);

}  // namespace axle::runtime
