// A product prepared at bind: the kernel calls, which are the same in each run, and pointers to the rows of the left
// factor, which stay valid while its address does (an indirection buffer: Dukhan, "The Indirect Convolution
// Algorithm").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/vector/product_block.h"

namespace axle::runtime {

struct Step;

struct PreparedProduct {
  // Consecutive tiles of rows, whose pointers begin at `table`.
  struct Rows {
    std::int64_t row = 0, count = 0, tiles = 0;  // first row; rows of a tile; number of tiles
    std::size_t table = 0;
    std::int64_t begin = 0;  // the first element of each row, where the depth is divided
  };
  // What the kernels fetch into the cache meanwhile: panels of the right factor, results, or what is at `next`.
  enum class Fetches : std::uint8_t { panels, results, next };
  struct Call {
    ProductKernel kernel = nullptr;
    std::size_t table = 0;
    std::int64_t rows = 0;                                      // of a tile
    std::int64_t blocks = 0, row = 0, column = 0, columns = 0;  // of the result
    std::int64_t right = 0, fetched = 0;  // offsets in elements: in the right factor, and of the data fetched ahead
    std::int64_t rightPitch = 0, panelPitch = 0, fetchPitch = 0, depth = 0;
    bool isFirst = true, isLast = true;  // of the pieces of the depth
    bool isInWorkspace = false;          // the right factor is read there, where each run packs it
    Fetches fetches = Fetches::panels;
  };

  std::vector<Rows> rows;
  std::vector<Call> calls;
  std::vector<const float*> table;
  const float* left = nullptr;       // the address that `table` was made for
  const float* next = nullptr;       // what later calls read (fetch_ahead.h)
  void (*point)(Step&) = nullptr;    // fills `table` for the first `left`
  std::int64_t pitch = 0;            // between rows that are evenly spaced
  std::vector<std::int64_t> pieces;  // offsets of the pieces of a row
  std::vector<float> memory;         // copies of the windows of a convolution
  ProductBlock block;                // the parameters that all calls share
  ProductEpilogue epilogue;          // and their epilogue
};

}  // namespace axle::runtime
