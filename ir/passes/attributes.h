// The attributes of operators, as passes read and write them.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "ir/ops/table.h"

namespace axle::ir {

// One spatial axis of a convolution's or pool's windows. A pool has no dilation and no spread.
struct WindowAxis {
  Dim size;  // of a pool; a convolution's is its filter's
  Dim stride, before, after, dilation, spread;
};

struct ConvAttributes {
  std::vector<WindowAxis> axes;
  Dim groups;
};

ConvAttributes convAttributes(const Node& conv);
std::vector<Dim> attributeList(const ConvAttributes& attributes);
std::vector<WindowAxis> poolAttributes(const Node& pool);
std::vector<Dim> attributeList(const std::vector<WindowAxis>& pool);

struct PadAmount {
  Dim before, after;
};
std::vector<PadAmount> padAmounts(const Node& pad);  // by axis
std::vector<Dim> attributeList(const std::vector<PadAmount>& amounts);

struct SliceAttributes {
  std::size_t axis = 0;
  Dim start, step;
};
SliceAttributes sliceAttributes(const DimStore& dims, const Node& slice);
std::vector<Dim> attributeList(DimStore& dims, const SliceAttributes& slice);

// Axis i of the result is axis perm[i] of the operand.
std::vector<std::size_t> permutation(const DimStore& dims, const Node& transpose);
std::vector<Dim> permutationList(DimStore& dims, const std::vector<std::size_t>& perm);

// The axis of a concatenation, a reversal or a reduction.
std::size_t axisAttribute(const DimStore& dims, const Node& node);
std::vector<Dim> axisList(DimStore& dims, std::size_t axis);

bool isUnaryPointwise(Op op);   // the result has the operand's shape
bool isBinaryPointwise(Op op);  // operands broadcast
bool isCommutative(Op op);      // exchanging the operands changes no bit of the result

// The facts that the operator's rule infers, of operators without bodies. `declared`: facts of the outputs, which the
// rule reads where the inputs do not determine them.
Inferred inferNode(DimStore& dims, Op op, const std::vector<Fact>& inputs, const std::vector<Dim>& ints,
                   const std::vector<Fact>& declared);

// ---- constants

// The value of a constant whose elements are all the same: of a number. None if it is a weight, or larger than 64 KB.
std::optional<double> repeatedNumber(const Constant& constant);
ConstantId scalarConstant(Model& model, Elem elem, bool isOne);

}  // namespace axle::ir
