// Buffers of partial sums. Stages add to their frames as the frames that these are computed from come; a frame is whole
// once no later one has a share in it.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/stream/network.h"

namespace axle::runtime {

// The lowest frame of the buffer that a stage's frame has a share in; later ones of the stage have none in those below.
std::int64_t firstSum(const manifest::Sink& sink, std::int64_t frame);
// Behind the last frame that the stage's frames before `end` have a share in.
std::int64_t endOfSums(const manifest::Sink& sink, std::int64_t end);
// By how much endOfSums() is above firstSum(), at most, for so many frames of the stage.
std::int64_t mostSums(const manifest::Sink& sink, std::int64_t frames);

// How many frames such a stage has by now: of an ended operand all that read a frame of it.
std::int64_t framesToAdd(const StageSource& source, const Frames& operand);

// The shape of one frame of the buffer, whose shares for `frames` frames have this shape; none if they do not fit.
std::optional<Shape> shapeOfSum(const manifest::Sink& sink, int axis, Shape shares, std::int64_t frames);
// Adds the shares of `frames` frames of a stage from `first` on. There is room for them.
void addShares(Frames& sums, const manifest::Sink& sink, int axis, const TensorView& shares, std::int64_t first,
               std::int64_t frames);

}  // namespace axle::runtime
