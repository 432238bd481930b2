#include "runtime/kernels/copy_blocks.h"

#include <cstring>

namespace axle::runtime {
namespace {

using Copy = void (*)(std::byte* to, const std::byte* from, const std::int64_t* places, std::int64_t count);

// A copy of so few bytes, known to the compiler, takes less time than a call of memcpy.
template <std::size_t bytes>
void copyFixed(std::byte* to, const std::byte* from, const std::int64_t* places, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i, to += bytes)
    std::memcpy(to, from + static_cast<std::size_t>(places[i]) * bytes, bytes);
}

struct CopyOfBytes {
  std::size_t bytes;
  Copy copy;
};
// Elements, pixels of three channels, and whole vectors.
constexpr CopyOfBytes copies[] = {{1, copyFixed<1>},   {2, copyFixed<2>},   {3, copyFixed<3>},
                                  {4, copyFixed<4>},   {6, copyFixed<6>},   {8, copyFixed<8>},
                                  {12, copyFixed<12>}, {16, copyFixed<16>}, {32, copyFixed<32>}};

}  // namespace

void copyBlocks(std::byte* to, const std::byte* from, const std::int64_t* places, std::int64_t count,
                std::size_t bytes) {
  for (const auto& [fixed, copy] : copies)
    if (fixed == bytes) return copy(to, from, places, count);
  for (std::int64_t i = 0; i < count; ++i, to += bytes)
    std::memcpy(to, from + static_cast<std::size_t>(places[i]) * bytes, bytes);
}

}  // namespace axle::runtime
