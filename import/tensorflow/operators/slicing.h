// What `StridedSlice` takes of each axis, and the rules of cuts in slicing_values.cc and slicing_formulas.cc.
#pragma once

#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow::slicing {

// What is taken of one axis: `step` apart from `start` up to, not including, `stop`; where `turned`, of the axis turned
// around. `open` where the bounds are not known.
struct Cut {
  bool added = false;  // a new axis, which the input does not have
  bool shrunk = false, turned = false, open = false, whole = false;
  Dim start, stop;
  std::int64_t step = 1;
  std::size_t place = 0;  // of its bounds in the lists of bounds; 0 where it has none
};

// The cuts of an input of these sizes, axis by axis, with new axes in between. None after an error, or where the
// strides are not known.
std::optional<std::vector<Cut>> cutsOf(RuleNode& n, const Dims& dims);

// True where a mask attribute has the bit.
inline bool isSet(std::int64_t mask, std::size_t bit) { return bit < 63 && ((mask >> bit) & 1) != 0; }

std::optional<Known> stridedSliceValue(const RuleNode& n);
std::optional<Known> sliceValue(const RuleNode& n);
KnownValues unpackValue(const RuleNode& n);
KnownValues splitValue(const RuleNode& n);
KnownValues splitVValue(const RuleNode& n);

FormulaResults stridedSliceFormula(NodeFormula& f);
FormulaResults sliceFormula(NodeFormula& f);

}  // namespace axle::tensorflow::slicing
