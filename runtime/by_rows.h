// Convolutions that run row by row: each row of a result is computed when the next convolution needs it. Of the results
// between them only the rows are kept that are still needed, so that they stay in the cache and need little memory.
#pragma once

#include "runtime/program.h"

namespace axle::runtime {

inline constexpr std::uint32_t mostByRows = 16;  // convolutions that run so, one after another

// Lets steps whose nodes say `by_rows` run with the next one, where their kernels can. To be called once the places of
// values are known (storage.h). Returns the error, or null.
const char* joinByRows(BoundGraph& graph);

}  // namespace axle::runtime
