// The families of the operator table, and rules that several of them share.
#pragma once

#include "ir/ops/table.h"

namespace axle::ir {

std::span<const OpRow> sourceOps();
std::span<const OpRow> pointwiseOps();
std::span<const OpRow> linearOps();
std::span<const OpRow> structureOps();
std::span<const OpRow> reductionOps();
std::span<const OpRow> indexingOps();
std::span<const OpRow> signalOps();
std::span<const OpRow> bodyOps();
std::span<const OpRow> runSizeOps();

inline constexpr Folding never = Folding::never, always = Folding::always, checked = Folding::checked;

inline tl::unexpected<std::string> doesNotFit(std::string what) { return tl::unexpected<std::string>(std::move(what)); }
inline std::vector<Fact> one(Elem elem, std::vector<Dim> shape) { return {Fact{elem, std::move(shape), {}}}; }

// The axis of the first input in `ints[index]`; none if it is not a constant or is out of range.
std::optional<std::size_t> axisOf(const InferContext& c, std::size_t index = 0);

Dim noFlops(const InferContext& c);
Dim flopsOfOutput(const InferContext& c);  // one for each element of the first output
Dim flopsOfInput(const InferContext& c);   // one for each element of the first input

}  // namespace axle::ir
