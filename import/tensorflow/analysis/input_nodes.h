// Nodes that bring values into a graph or hand them on: placeholders, constants, parameters of functions, queues and
// iterators, identities.
#pragma once

#include <span>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;
struct StructuralNode;
struct StructuralOperator;

std::span<const StructuralOperator> inputOperators();

// The facts of a placeholder, or of any node whose outlets are given from outside.
Outcome inputFacts(StructuralNode& n);

// A shape that an input declares: each size that it leaves open is one that inputs bring, named by `names` (by axis)
// where that has a name that no hint uses.
Shape inputShape(Analysis& analysis, const PartialShape& shape, const std::vector<std::string>& names = {});

// Keeps the shapes of the inputs among the outlets of a node of the main graph, for the guards.
void recordInputs(Analysis& analysis, NodeId id);

}  // namespace axle::tensorflow
