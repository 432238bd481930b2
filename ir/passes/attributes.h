// Properties of operators and values of constants, for passes.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "ir/ops/table.h"

namespace axle::ir {

bool isUnaryPointwise(Op op);   // the result has the operand's shape
bool isBinaryPointwise(Op op);  // operands broadcast
bool isCommutative(Op op);      // exchanging the operands changes no bit of the result

// Returns the facts that the rule of an operator without bodies infers. `declared`: facts of the outputs, which the
// rule reads if the inputs do not determine them.
Inferred inferNode(DimStore& dims, Op op, const std::vector<Fact>& inputs, const Attributes& attributes,
                   const std::vector<Fact>& declared);

// ---- constants

// Returns the number that all elements of a constant equal. Returns nothing for a weight or more than 64 KB.
std::optional<double> repeatedNumber(const Constant& constant);
ConstantId scalarConstant(Model& model, Elem elem, bool isOne);

}  // namespace axle::ir
