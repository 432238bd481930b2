// Sums or compares rows of f32 element by element.
#pragma once

#include "runtime/vector/reduction.h"

namespace axle::runtime {

// Collects rows of f32, which a vector kernel combines into `out`, many at a time.
class CombinedRows {
 public:
  // `hasStart`: the content of `out` is the first row.
  CombinedRows(CombineRows kernel, std::int64_t columns, float* out, bool hasStart)
      : kernel_(kernel), columns_(columns), out_(out) {
    if (hasStart) rows_[count_++] = out;
  }

  void add(const float* row) {
    if (count_ == most) combine();
    rows_[count_++] = row;
  }
  // Combines the rows added so far, of which there must be at least one; with these, the row at `out`. Call it last.
  void combine() {
    kernel_(rows_, count_, columns_, out_);
    rows_[0] = out_;
    count_ = 1;
  }

 private:
  static constexpr std::int64_t most = 64;
  CombineRows kernel_;
  std::int64_t columns_, count_ = 0;
  float* out_;
  const float* rows_[most];
};

}  // namespace axle::runtime
