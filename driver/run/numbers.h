// Reads elements of any type as numbers that can be compared and printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "io/elem.h"

namespace axle::run {

// An element's value without loss: a float, or an integer by sign and magnitude.
struct Number {
  bool isInt = false;
  bool negative = false;        // of an integer
  std::uint64_t magnitude = 0;  // of an integer; a bool is 0 or 1
  double real = 0;              // the float, or the integer rounded to f64
};

// Returns the element at `at`, which may be unaligned. `elem` is not string.
Number numberAt(Elem elem, const std::byte* at);

// Returns |a - b|; for two integers it is exact before rounding to f64. 0 for two NaNs and for equal infinities,
// infinite if only one side is NaN or infinite.
double distance(const Number& a, const Number& b);

// Returns the shortest text that reads back as the same value: `0.1`, `-inf`, `3`, `true`.
std::string numberText(Elem elem, const Number& number);

}  // namespace axle::run
