// Computes the least state that a stream can keep between pushes of single frames; reports print it beside the actual
// state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/stream/network.h"

namespace axle::runtime {

// Returns the least bytes for a buffer whose history takes `bytes`: fewer if partial sums could replace its frames, or
// input frames its partial sums. Requires bound stages.
std::uint64_t leastBytes(const Network& network, std::size_t buffer, std::uint64_t bytes);

}  // namespace axle::runtime
