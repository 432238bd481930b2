// Vectors of f32 for the kernels of this folder: xsimd's batches, and `Lane`, a single element, for the plain kernels
// and for the rest of a row.
#pragma once

#include <cmath>
#include <xsimd/xsimd.hpp>

namespace axle::runtime {

// How far loops over registers are unrolled. The plain kernels have loops instead where they are compiled for size.
#if defined(__OPTIMIZE_SIZE__)
inline constexpr int mostRegisters = 1;
#else
inline constexpr int mostRegisters = 32;
#endif

// One f32 with the interface of a batch. `Of`: the batch of the instruction set that it is compiled for, so that the
// linker shares none of its functions between sets.
template <class Of>
struct Lane {
  static constexpr std::size_t size = 1;
  float value = 0;

  Lane() = default;
  explicit Lane(float x) : value(x) {}
  static Lane load_unaligned(const float* from) { return Lane(*from); }
  void store_unaligned(float* to) const { *to = value; }

  friend Lane operator+(Lane a, Lane b) { return Lane(a.value + b.value); }
  friend Lane operator-(Lane a, Lane b) { return Lane(a.value - b.value); }
  friend Lane operator*(Lane a, Lane b) { return Lane(a.value * b.value); }
  friend bool operator<(Lane a, Lane b) { return a.value < b.value; }
  friend bool operator<=(Lane a, Lane b) { return a.value <= b.value; }
  friend bool operator>(Lane a, Lane b) { return a.value > b.value; }
  friend bool isnan(Lane a) { return a.value != a.value; }
  friend Lane select(bool which, Lane a, Lane b) { return which ? a : b; }
  friend Lane fma(Lane a, Lane b, Lane c) { return Lane(a.value * b.value + c.value); }

  // If one of the values is NaN, vector instructions return the second, but NaN on ARM. Callers pass a value that may
  // be NaN as the second.
  friend Lane min(Lane a, Lane b) { return a.value < b.value ? a : b; }
  friend Lane max(Lane a, Lane b) { return a.value > b.value ? a : b; }
};

}  // namespace axle::runtime
