// A product of so few rows that one tile has them all, as in a step of a recurrent layer: what is the same in each run
// is found before.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/vector/product_block.h"

namespace axle::runtime {

struct FewRows {
  struct Call {
    ProductKernel kernel = nullptr;
    std::int64_t columns = 0;
  };

  std::int64_t rows = 0, pitch = 0;  // of the left factor
  std::vector<std::int64_t> pieces;  // where those of a row begin
  std::vector<const float*> table;   // of `block`
  ProductBlock block;                // of the first call; its addresses are set in each run
  std::vector<Call> calls;           // one beside the other
};

}  // namespace axle::runtime
