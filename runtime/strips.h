// Products whose rows are reduced before the next product, as in attention: of the matrix between the products only a
// strip of rows exists, which stays in the cache. Each element is computed as in the whole matrix, but for the order of
// sums, which depends on the rows of a block.
#pragma once

#include "runtime/program.h"

namespace axle::runtime {

// Smaller matrices stay in the cache as they are.
inline constexpr std::uint64_t leastStripBytes = std::uint64_t{1} << 18;

// What links them, as RunningByRows of by_rows.h.
struct RunningInStrips {
  const char* (*join)(BoundGraph&);
  RowsOfStrip *product, *rows;  // of MATMUL_VECTOR and of ROWS
};
extern const RunningInStrips* const linkedStrips;

// In kernels/matmul_panels.cc and kernels/rows.cc.
RowsOfStrip runStripOfProduct, runStripOfRows;

// Makes one call of a product, the calls of rows after it, if any, and the product after those, where the nodes of all but the
// last one say `by_rows`. To be called once the places of values are known (storage.h). Returns the error, or null.
const char* joinStrips(BoundGraph& graph);

}  // namespace axle::runtime
