// Copies blocks of bytes from computed places.
#pragma once

#include <cstddef>
#include <cstdint>

namespace axle::runtime {

// Copies `count` blocks of `bytes` bytes to one after another: block i from `from + places[i] * bytes`.
void copyBlocks(std::byte* to, const std::byte* from, const std::int64_t* places, std::int64_t count,
                std::size_t bytes);

}  // namespace axle::runtime
