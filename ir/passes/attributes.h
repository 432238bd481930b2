// What operators have in common, and the values of constants, as passes ask.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "ir/ops/table.h"

namespace axle::ir {

bool isUnaryPointwise(Op op);   // the result has the operand's shape
bool isBinaryPointwise(Op op);  // operands broadcast
bool isCommutative(Op op);      // exchanging the operands changes no bit of the result

// The facts that the operator's rule infers, of operators without bodies. `declared`: facts of the outputs, which the
// rule reads where the inputs do not determine them.
Inferred inferNode(DimStore& dims, Op op, const std::vector<Fact>& inputs, const Attributes& attributes,
                   const std::vector<Fact>& declared);

// ---- constants

// The value of a constant whose elements are all the same: of a number. None if it is a weight, or larger than 64 KB.
std::optional<double> repeatedNumber(const Constant& constant);
ConstantId scalarConstant(Model& model, Elem elem, bool isOne);

}  // namespace axle::ir
