// The parts of each axis that `StridedSlice` takes, and the rules of cuts in slicing_values.cc and slicing_formulas.cc.
#pragma once

#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow::slicing {

// The part taken of one axis: every `step`-th element from `start` up to, but not including, `stop`; if `turned`, of
// the reversed axis. `open` if the bounds are not known.
struct Cut {
  bool added = false;  // a new axis, which the input does not have
  bool shrunk = false, turned = false, open = false, whole = false;
  Dim start, stop;
  std::int64_t step = 1;
  std::size_t place = 0;  // the index of its bounds in the lists of bounds; 0 if it has none
};

// Returns the cuts of an input of these sizes, axis by axis, with new axes in between. None after an error, or if the
// strides are not known.
std::optional<std::vector<Cut>> cutsOf(RuleNode& n, const Dims& dims);

// Whether a mask attribute has the bit.
inline bool isSet(std::int64_t mask, std::size_t bit) { return bit < 63 && ((mask >> bit) & 1) != 0; }

std::optional<Known> stridedSliceValue(const RuleNode& n);
std::optional<Known> sliceValue(const RuleNode& n);
KnownValues unpackValue(const RuleNode& n);
KnownValues splitValue(const RuleNode& n);
KnownValues splitVValue(const RuleNode& n);

FormulaResults stridedSliceFormula(NodeFormula& f);
FormulaResults sliceFormula(NodeFormula& f);

}  // namespace axle::tensorflow::slicing
