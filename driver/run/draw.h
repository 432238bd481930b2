// Draws inputs from a seed: the same values on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "io/elem.h"

namespace axle::run {

// Fills `bytes` with elements of `elem` (not string) for the input number `input`: floats in [-1, 1), each exact in its
// type; integers from 0 to 3; bools.
void draw(Elem elem, std::uint64_t seed, std::uint64_t input, std::span<std::byte> bytes);

}  // namespace axle::run
