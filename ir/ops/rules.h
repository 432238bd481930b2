// The rules of the operators, by the name that the column `rules` of `runtime/ops.def` gives them, and what several of
// them share.
#pragma once

#include "ir/ops/table.h"

namespace axle::ir {

extern const Rules sourceRules;
#define OPERATOR(name, number, printed, prepare, inputs, outputs, attributes, bodies, flags, rules) \
  extern const Rules rules##Rules;
#include "runtime/ops.def"

inline tl::unexpected<std::string> doesNotFit(std::string what) { return tl::unexpected<std::string>(std::move(what)); }
inline std::vector<Fact> one(Elem elem, std::vector<Dim> shape) { return {Fact{elem, std::move(shape), {}}}; }

// The axis of the first input in `ints[index]`; none if it is not a constant or is out of range.
std::optional<std::size_t> axisOf(const InferContext& c, std::size_t index = 0);

Dim noFlops(const InferContext& c);
Dim flopsOfOutput(const InferContext& c);  // one for each element of the first output
Dim flopsOfInput(const InferContext& c);   // one for each element of the first input

}  // namespace axle::ir
