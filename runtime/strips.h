// Runs two products and the row-wise operators between them (softmax in attention) in strips of rows: only one strip of
// the matrix between the products exists, and it stays in the cache. Elements equal those of the whole matrix except
// for the order of sums, which depends on the number of rows in a block.
#pragma once

#include "runtime/program.h"

namespace axle::runtime {

// Smaller matrices stay in the cache without strips.
inline constexpr std::uint64_t leastStripBytes = std::uint64_t{1} << 18;

// The kernels that can run in strips; null as RunningByRows in by_rows.h.
struct RunningInStrips {
  const char* (*join)(BoundGraph&);
  RowsOfStrip *product, *rows;  // MATMUL_VECTOR and ROWS
};
extern const RunningInStrips* const linkedStrips;

// Defined in kernels/matmul_panels.cc and kernels/rows.cc.
RowsOfStrip runStripOfProduct, runStripOfRows;

// Joins a product, the calls of rows after it, and the product after those into one call, where all nodes but the last
// one are marked `by_rows`. Call it once the places of values are known (storage.h). Returns the error, or null.
const char* joinStrips(BoundGraph& graph);

}  // namespace axle::runtime
