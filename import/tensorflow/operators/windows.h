// Functions that the rules and the formulas of windows share, and the formulas (windows_formulas.cc).
#pragma once

#include <cstdint>
#include <optional>

#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow::windows {

// The windows along one axis of a tensor.
struct AxisWindows {
  std::int64_t count = 0;   // 0 if the axis is shorter than a window
  std::int64_t before = 0;  // padding before the axis, where the first window begins
};

// Returns the windows of `extent` along an axis of `size`, by the node's padding. None if the padding is not known.
std::optional<AxisWindows> windowsAlong(const RuleNode& n, std::size_t axis, std::int64_t size, std::int64_t extent,
                                        std::int64_t stride);

FormulaResults imagePatchesFormula(NodeFormula& f);
FormulaResults dilationFormula(NodeFormula& f);
FormulaResults poolWithPlacesFormula(NodeFormula& f);
FormulaResults maxPoolGradFormula(NodeFormula& f);
FormulaResults convolutionFilterGradFormula(NodeFormula& f);

}  // namespace axle::tensorflow::windows
