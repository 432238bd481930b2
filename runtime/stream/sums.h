// What a stream would keep between pushes, if its convolutions kept sums in place of the frames that they read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/stream/network.h"

namespace axle::runtime {

// The bytes of sums in place of the frames of a buffer: for each window over it, of the results that a frame has a
// share in. None where a reader does more than multiply and add. The stages are bound.
std::optional<std::uint64_t> sumBytes(const Network& network, std::size_t buffer);

}  // namespace axle::runtime
