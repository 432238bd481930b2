// The factors of a matrix product of equal batches: (s@[m, k], s@[k, n]) -> s@[m, n].
#pragma once

#include "runtime/program.h"

namespace axle::runtime {

// Whether the shapes of both factors and of the result fit. Returns the error, or null.
const char* checkFactors(const Step& step);

struct Factors {
  const TensorView &a, &b;
  std::int64_t m, n, k, batches;

  explicit Factors(const Step& step);
  template <class T>
  const T* left(std::int64_t batch, std::int64_t row = 0) const {
    return a.as<T>() + (batch * m + row) * a.rowPitch();
  }
  template <class T>
  const T* right(std::int64_t batch, std::int64_t column = 0) const {
    return b.as<T>() + batch * k * b.rowPitch() + column;
  }
};

}  // namespace axle::runtime
