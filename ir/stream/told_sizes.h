// Adds inputs to stages for sizes that none of their inputs has, such as `b` in a first state of zeros [b, 3] of a loop
// over x : f32 [b, ~T, 3].
#pragma once

#include "ir/stream/network.h"

namespace axle::ir {

// Gives each stage inputs that determine the symbols which it mentions: inputs of the model that do not stream, or
// streamed inputs with no frames.
void tellSizes(StreamNetwork& network, const Model& model);

}  // namespace axle::ir
