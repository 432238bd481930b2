// Declares the rules of the operators, named by the column `rules` of `runtime/ops.def`, and functions that several
// rules share.
#pragma once

#include "ir/ops/table.h"

namespace axle::ir {

extern const Rules sourceRules;
#define OPERATOR(name, number, printed, prepare, inputs, outputs, attributes, bodies, flags, kernel, rules) \
  extern const Rules rules##Rules;
#include "runtime/ops.def"

inline tl::unexpected<std::string> doesNotFit(std::string what) { return tl::unexpected<std::string>(std::move(what)); }
inline tl::unexpected<std::string> axisOutOfRange() { return doesNotFit("the axis is out of range"); }

// ---- facts
inline std::vector<Fact> one(Elem elem, Dims shape) { return {Fact{elem, std::move(shape), {}}}; }
Dims without(Dims shape, std::size_t axis);
// Returns the shape that all inputs broadcast to. Inputs from `from` on must have one element type.
Inferred broadcastFacts(const InferContext& c, std::size_t from, Elem elem);
// Returns the shape with the declared sizes of the axes between first and last, unless they differ for all values. With
// "same" padding the number of windows equals the declared `ceildiv(h, stride)`, which the normal form cannot prove.
Inferred keepDeclaredSizes(const InferContext& c, Dims shape);
// Returns the declared fact if its element type and rank are those of `from`.
Inferred declaredFact(const InferContext& c, const Fact& from);
// Says why the second input, an index for each element along the axis of the first input, does not fit; nothing if it
// does.
std::optional<std::string> indicesMismatch(const InferContext& c, std::size_t axis);
// Returns the shape q@s of the blocks that indices of shape q@[r] select from a tensor p@s, where r is the rank of p.
tl::expected<Dims, std::string> blocksShape(const InferContext& c);
// Says why the third input does not fit as updates of the first with this shape; nothing if it does.
std::optional<std::string> updatesMismatch(const InferContext& c, const Dims& shape);

// ---- cost
Dim noFlops(const InferContext& c);
Dim flopsOfOutput(const InferContext& c);                // one for each element of the first output
Dim flopsOfInput(const InferContext& c);                 // one for each element of the first input
Dim flopsOfSums(const InferContext& c, Dim perElement);  // each element of the output is a sum of `perElement` products

// ---- axes
AxisMap noAxes(const InferContext& c);
AxisMap sameAxes(const InferContext& c);                       // all axes of the first input, one to one
AxisMap sameAxesBut(const InferContext& c, std::size_t axis);  // all but one
AxisMap axesWithout(const InferContext& c, std::size_t axis);  // all but one, which the output lacks
AxisMap broadcastAxes(const InferContext& c);                  // of all inputs, aligned at the trailing axis

}  // namespace axle::ir
