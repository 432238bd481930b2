// The least that a stream must keep between pushes of single frames, beside which its state is printed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/stream/network.h"

namespace axle::runtime {

// Of a buffer whose history takes `bytes`: these, or less where its frames could be kept as sums of results that are
// begun, or its sums as the frames that they are computed from. The stages are bound.
std::uint64_t leastBytes(const Network& network, std::size_t buffer, std::uint64_t bytes);

}  // namespace axle::runtime
