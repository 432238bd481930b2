// Runs consecutive convolutions row by row: a row of a result is computed when the next convolution needs it, and only
// rows that are still needed are kept. So intermediate results stay in the cache and need little memory.
#pragma once

#include "runtime/program.h"

namespace axle::runtime {

inline constexpr std::uint32_t mostByRows = 16;  // convolutions joined in one run

// The kernels that can run row by row. Null in a runtime that `axc build --runtime` links for a bundle without such
// calls.
struct RunningByRows {
  struct Kernel {
    RowOfImage* run;
    void (*prepare)(Step&);
  };
  const char* (*join)(BoundGraph&);
  Kernel panels, pixels, depthwise;  // CONV_PANELS, CONV_PANELS with windows of one pixel, CONV_DEPTHWISE
};
extern const RunningByRows* const linkedByRows;

// Defined in kernels/conv_panels.cc and kernels/conv_depthwise.cc.
RowOfImage runRowOfPanels, runRowOfPixels, runRowOfDepthwise;
void prepareRowOfPanels(Step& step);
void prepareRowOfPixels(Step& step);
void prepareRowOfDepthwise(Step& step);

// Joins each step whose node is marked `by_rows` with the step after it, if the kernels of both can run row by row.
// Call it once the places of values are known (storage.h). Returns the error, or null.
const char* joinByRows(BoundGraph& graph);

}  // namespace axle::runtime
