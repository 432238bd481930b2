// Properties of operators, bytes of tensors and values of constants, for passes.
#pragma once

#include <cstddef>
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

Axes inversePermutation(const Axes& perm);
// The permutation that exchanges the first two of `rank` axes.
Axes exchangeFirstAxes(std::size_t rank);
// Whether the results of a node's body, from `from` on, are stacked along a new axis instead of concatenated.
bool stacksResults(const Model& model, const Graph& graph, const Node& node, std::size_t from);

// Returns the bytes of a tensor; none if a size is not known, or too many.
std::optional<std::int64_t> knownBytes(const DimStore& dims, const Fact& fact);

// ---- constants

// Returns the number that all elements of a constant equal. Returns nothing for a weight or more than 64 KB.
std::optional<double> repeatedNumber(const Constant& constant);
ConstantId scalarConstant(Model& model, Elem elem, bool isOne);
// Returns the bytes of a number as a float of the type `elem`.
std::vector<std::byte> floatBytes(Elem elem, double number);

}  // namespace axle::ir
