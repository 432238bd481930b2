// Ragged tensors are stored as rows, one after another. Row splits divide the rows into segments, one for each position
// in the dimensions before the ragged one. Row splits are kept with the ragged length, not with a tensor, so operators
// on elements do not need them.
#pragma once

#include "ir/lower/operators.h"

namespace axle::ir::lowering {

// The last ragged dimension of a type: it and all dimensions before it are stored as rows.
struct RaggedDimension {
  DimVar length;
  std::size_t axis = 0;
};

// ragged_lengths.cc

// Returns nothing if the type has no ragged dimension.
std::optional<RaggedDimension> raggedDimension(const Context& c, TypeId type);
std::vector<DimVar> raggedLengthsOf(const Context& c, TypeId tensor);
// Whether an argument or the result has a ragged dimension.
bool usesRagged(Context& c, const Application& a);
// Returns the row splits of a length, or null if no enclosing graph has them.
const RaggedLengths* findRaggedLengths(const Context& c, DimVar length);
// Returns the row splits of the length of a tensor in scope; if they are missing, reports a bug of the compiler.
RaggedLengths requireRaggedLengths(Context& c, DimVar length);
Dim segmentCount(Context& c, const RaggedLengths& lengths);
// Returns the dimensions after the ragged one.
std::vector<Dim> dimsAfter(const Context& c, TypeId type, const RaggedDimension& ragged);
// Reports that the operator cannot be compiled for these ragged tensors.
std::nullopt_t failRagged(Context& c, const Application& a, const CoreOperator& core);
std::nullopt_t failRagged(Context& c, const Application& a, const CoreOperator& core, Format<> reason);

// ragged_nodes.cc: small graphs on rows and row splits. After a failure they return any tensor.

Tensor sizeScalar(Context& c, Dim value);
Tensor sizeVector(Context& c, std::vector<Dim> values);
Tensor integerOp(Context& c, Op op, const Tensor& a, const Tensor& b);
Tensor elementAt(Context& c, const Tensor& vector, Dim index);
Tensor gatherRows(Context& c, const Tensor& rows, const Tensor& ids);
Tensor countUp(Context& c, Dim count);  // 0, 1, .., count - 1
Tensor reshapeOrNone(Context& c, const Tensor& x, std::vector<Dim> shape);

struct SegmentBounds {
  Tensor begin, end;  // [segments]: the first row of each segment, and the row after its last
};
SegmentBounds segmentBounds(Context& c, const RaggedLengths& lengths);
// Binds `size` to the largest of the segments' lengths, 0 if there are no segments.
void bindLongest(Context& c, DimVar size, const Tensor& segmentLengths, const RaggedLengths& lengths);
// Returns the segment of each row.
Tensor segmentIds(Context& c, const RaggedLengths& lengths);
Tensor splitsFromLengths(Context& c, const Tensor& lengths);
// Combines the rows of each segment with the segment's element of `start`.
std::optional<Tensor> reduceSegments(Context& c, Op op, const Tensor& start, const Tensor& rows, const Tensor& ids);

// How a formula reduces a ragged tensor: written axes up to the ragged one are stored as axis 0, the rows.
struct RaggedReduction {
  std::size_t axis = 0, rank = 0;  // of the ragged dimension; of the type
  bool grouped = false;            // the rows are reduced to more than one segment
  Tensor segmentIds;               // if `grouped`: the segment that each row is reduced to
  Dim segments;                    // if `grouped`: the number of segments

  std::size_t storedAxis(std::size_t written) const { return written > axis ? written - axis : 0; }
};
// Returns the reduction over `axes`, given from last to first. Returns nothing if it would combine rows that are not
// adjacent: a dimension before the ragged one is reduced, but one between the two is not.
std::optional<RaggedReduction> reductionOver(Context& c, TypeId type, const RaggedDimension& ragged,
                                             const std::vector<std::size_t>& axes);
// Repeats an operand that lacks the ragged dimension, or has size 1 there, for each row of the result.
std::optional<Tensor> spreadOverRows(Context& c, const Tensor& operand, TypeId type, TypeId resultType,
                                     const RaggedDimension& result);

// Rules for ragged operands (ragged_operators.cc, contraction.cc, formula_rules.cc).
std::optional<Value> lowerRaggedPointwise(Context& c, const Application& a, const CoreOperator& core);
std::optional<Value> lowerRaggedReshape(Context& c, const Application& a, const CoreOperator& core);
std::optional<Value> lowerRaggedReduce(Context& c, const Application& a, const CoreOperator& core);
std::optional<Value> lowerRaggedMatmul(Context& c, const Application& a, const CoreOperator& core);
std::optional<Value> lowerRaggedConcat(Context& c, const Application& a, const CoreOperator& core);

}  // namespace axle::ir::lowering
