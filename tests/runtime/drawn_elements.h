// Elements for tests of vector kernels.
#pragma once

#include "tests/runtime/draws.h"

namespace axle::runtime::test {

// Lies behind the results of a kernel, which must not change it.
inline constexpr float guard = -12345.0f;

// Sums of these elements are exact.
inline float drawElement(Draws& draws) { return static_cast<float>(draws.below(33) - 16) / 8; }

}  // namespace axle::runtime::test
