// Rows of f32 that are summed, or compared, element by element.
#pragma once

#include "runtime/vector/reduction.h"

namespace axle::runtime {

// Rows of f32 that a vector kernel combines, many at a time.
class CombinedRows {
 public:
  CombinedRows(CombineRows kernel, std::int64_t columns, float* out) : kernel_(kernel), columns_(columns), out_(out) {}

  void add(const float* row) {
    rows_[count_++] = row;
    if (count_ == most) combine();
  }
  void combine() {
    kernel_(rows_, count_, columns_, out_);
    count_ = 0;
  }

 private:
  static constexpr std::int64_t most = 64;
  CombineRows kernel_;
  std::int64_t columns_, count_ = 0;
  float* out_;
  const float* rows_[most];
};

}  // namespace axle::runtime
