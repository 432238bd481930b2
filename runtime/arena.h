// Plans the memory of a graph: gives each block of memory, which some of the steps need, a place in one arena.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace axle::runtime {

// Memory needed from step `first` to step `last`, inclusive.
struct Block {
  std::uint64_t bytes = 0;
  std::uint32_t first = 0, last = 0;
  std::uint64_t offset = 0;
  bool isGiven = false;  // the offset is not chosen here
};

// The most bytes that can be addressed.
extern const std::uint64_t addressableBytes;

// Gives every block an offset, a multiple of 64, such that blocks needed at the same step do not overlap. Blocks are in
// order of `first`. Tries several greedy orders and corrects each a few times, until one needs no more than
// `liveBytes`. Returns the total number of bytes; none if they cannot be addressed.
std::optional<std::uint64_t> planArena(std::span<Block> blocks);

// Returns the most bytes needed at one step, with each block rounded up to a multiple of 64: no plan needs fewer.
// Saturates.
std::uint64_t liveBytes(std::span<const Block> blocks);

// Checks the given offsets, and gives every other block, which only one step may need, the lowest offset that is free
// at this step. With one such block per step, this takes no more memory than a plan of all blocks. Blocks are in order
// of `first`. Returns the total number of bytes; none if given offsets are no multiples of 64, or blocks needed at the
// same step overlap.
std::optional<std::uint64_t> completeArena(std::span<Block> blocks);

}  // namespace axle::runtime
