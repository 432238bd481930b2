// Vectors of f32 that the kernels here are written with: xsimd's batches, and one of a single element for the plain
// kernels.
#pragma once

#include <cmath>
#include <xsimd/xsimd.hpp>

namespace axle::runtime {

// One f32 with the interface of a batch.
struct Scalar {
  static constexpr std::size_t size = 1;
  float value = 0;

  Scalar() = default;
  explicit Scalar(float x) : value(x) {}
  static Scalar load_unaligned(const float* from) { return Scalar(*from); }
  void store_unaligned(float* to) const { *to = value; }
};
inline Scalar operator+(Scalar a, Scalar b) { return Scalar(a.value + b.value); }
inline bool isnan(Scalar a) { return a.value != a.value; }
inline Scalar select(bool which, Scalar a, Scalar b) { return which ? a : b; }
inline Scalar operator*(Scalar a, Scalar b) { return Scalar(a.value * b.value); }

// Where one of two values is NaN the vector instructions give the second one, on ARM NaN: callers put the one that may
// be NaN there.
inline Scalar min(Scalar a, Scalar b) { return a.value < b.value ? a : b; }
inline Scalar max(Scalar a, Scalar b) { return a.value > b.value ? a : b; }
inline Scalar fma(Scalar a, Scalar b, Scalar c) { return Scalar(a.value * b.value + c.value); }

}  // namespace axle::runtime
