// Elements for tests of vector kernels.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/runtime/draws.h"

namespace axle::runtime::test {

// Lies behind the results of a kernel, which must not change it.
inline constexpr float guard = -12345.0f;

// Sums of these elements are exact.
inline float drawElement(Draws& draws) { return static_cast<float>(draws.below(33) - 16) / 8; }

// Whether `out` has the expected elements at [row, column], rows `pitch` apart, and the guard everywhere else.
template <class ExpectedAt>
void expectBlock(const std::vector<float>& out, std::int64_t pitch, std::int64_t rows, std::int64_t columns,
                 ExpectedAt expected) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / pitch, column = static_cast<std::int64_t>(i) % pitch;
    ASSERT_EQ(out[i], row < rows && column < columns ? expected(row, column) : guard) << row << ", " << column;
  }
}

}  // namespace axle::runtime::test
