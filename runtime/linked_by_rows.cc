// Convolutions that run row by row, in a program that does not say otherwise (by_rows.h).
#include "runtime/by_rows.h"

namespace axle::runtime {
namespace {
constexpr RunningByRows running{joinByRows,
                                {runRowOfPanels, prepareRowOfPanels},
                                {runRowOfPixels, prepareRowOfPixels},
                                {runRowOfDepthwise, prepareRowOfDepthwise}};
}  // namespace

const RunningByRows* const linkedByRows = &running;

}  // namespace axle::runtime
