// Convolutions that run row by row: each row of a result is computed when the next convolution needs it. Of the results
// between them only the rows are kept that are still needed, so that they stay in the cache and need little memory.
#pragma once

#include "runtime/program.h"

namespace axle::runtime {

inline constexpr std::uint32_t mostByRows = 16;  // convolutions that run so, one after another

// What links them: null in a program that links no bundle with them, as a runtime of `axc build --runtime` for another
// one defines it.
struct RunningByRows {
  const char* (*join)(BoundGraph&);
  RowOfImage *panels, *pixels, *depthwise;  // of CONV_PANELS, with windows of one pixel, and of CONV_DEPTHWISE
};
extern const RunningByRows* const linkedByRows;

// In kernels/conv_panels.cc and kernels/conv_depthwise.cc.
RowOfImage runRowOfPanels, runRowOfPixels, runRowOfDepthwise;

// Lets steps whose nodes say `by_rows` run with the next one, where their kernels can. To be called once the places of
// values are known (storage.h). Returns the error, or null.
const char* joinByRows(BoundGraph& graph);

}  // namespace axle::runtime
