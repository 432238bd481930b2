// Vectors of f32 that the kernels here are written with: xsimd's batches, and one of a single element for the plain
// kernels and for what is left at the end of a row.
#pragma once

#include <cmath>
#include <xsimd/xsimd.hpp>

namespace axle::runtime {

// One f32 with the interface of a batch. `Of`: the batch of the instruction set that it is compiled for, so that no
// function of it is shared with code for another set.
template <class Of>
struct Lane {
  static constexpr std::size_t size = 1;
  float value = 0;

  Lane() = default;
  explicit Lane(float x) : value(x) {}
  static Lane load_unaligned(const float* from) { return Lane(*from); }
  void store_unaligned(float* to) const { *to = value; }

  friend Lane operator+(Lane a, Lane b) { return Lane(a.value + b.value); }
  friend Lane operator*(Lane a, Lane b) { return Lane(a.value * b.value); }
  friend bool isnan(Lane a) { return a.value != a.value; }
  friend Lane select(bool which, Lane a, Lane b) { return which ? a : b; }
  friend Lane fma(Lane a, Lane b, Lane c) { return Lane(a.value * b.value + c.value); }

  // Where one of two values is NaN the vector instructions give the second one, on ARM NaN: callers put the one that
  // may be NaN there.
  friend Lane min(Lane a, Lane b) { return a.value < b.value ? a : b; }
  friend Lane max(Lane a, Lane b) { return a.value > b.value ? a : b; }
};

}  // namespace axle::runtime
