// Opens a network: computes shapes in the order of the actors, binds programs, and allocates all memory.
#pragma once

#include "runtime/stream/network.h"

namespace axle::runtime {

// Opens a network for `inputs`, which are in the entry's order.
Result<void> openNetwork(Network& network, std::shared_ptr<const StreamModel> model, std::span<const TensorView> inputs,
                         const StreamOptions& options);

}  // namespace axle::runtime
