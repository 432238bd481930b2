// Inputs drawn from a seed: the same values on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "io/elem.h"

namespace axle::run {

// Fills `bytes` with elements of `elem` (not string) for the input number `input`: floats in [-1, 1), each a multiple
// of what the type resolves there; integers 0 to 3; bools.
void draw(Elem elem, std::uint64_t seed, std::uint64_t input, std::span<std::byte> bytes);

}  // namespace axle::run
