// Sizes that no input of a stage has, as in a first state of zeros [b, 3] of a loop over x : f32 [b, ~T, 3].
#pragma once

#include "ir/stream/network.h"

namespace axle::ir {

// Gives each stage inputs that have the symbols which it mentions: inputs of the model that do not stream, or as many
// frames as none of one that streams.
void tellSizes(StreamNetwork& network, const Model& model);

}  // namespace axle::ir
