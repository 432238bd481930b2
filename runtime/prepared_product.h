// A product of which all that is the same in each run is found before: the calls of kernels, and, as long as the left
// factor stays where it is, pointers to its rows (an indirection buffer: Dukhan, "The Indirect Convolution Algorithm").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/vector/product_block.h"

namespace axle::runtime {

struct Step;

struct PreparedProduct {
  // Neighbouring tiles of rows, whose pointers begin at `table`.
  struct Rows {
    std::int64_t row = 0, count = 0, tiles = 0;  // the first one; of a tile
    std::size_t table = 0;
  };
  struct Call {
    ProductKernel kernel = nullptr;
    std::size_t table = 0;
    std::int64_t blocks = 0, row = 0, column = 0, columns = 0;  // of the result, from its begin on
    std::int64_t right = 0, fetched = 0;  // elements of the right factor, and of what is fetched
    std::int64_t fetchPitch = 0;
    bool fetchesResults = false;  // else the right factor
  };

  std::vector<Rows> rows;
  std::vector<Call> calls;
  std::vector<const float*> table;
  const float* left = nullptr;              // for which `table` is
  void (*point)(Step&) = nullptr;           // sets `table` for `left`
  std::int64_t pitch = 0;                   // of rows that are evenly apart,
  std::vector<std::int64_t> pieces;         // and where their pieces begin
  std::vector<float> memory;                // of the windows of a convolution
  ProductBlock block;                       // what all calls have in common,
  ProductEpilogue epilogue;                 // but for this
};

}  // namespace axle::runtime
