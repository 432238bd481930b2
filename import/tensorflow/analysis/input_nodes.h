// Nodes that bring values into a graph or pass them on: placeholders, constants, parameters of functions, queues and
// iterators, identities.
#pragma once

#include <span>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;
struct StructuralNode;
struct StructuralOperator;

std::span<const StructuralOperator> inputOperators();

// Types a placeholder, or any node whose outlets are given from outside.
Outcome inputFacts(StructuralNode& n);

// Returns the shape that an input declares. Each size that it leaves open becomes a size that inputs determine, with
// its name in `names` (by axis) if that exists and no hint uses it.
Shape inputShape(Analysis& analysis, const PartialShape& shape, const std::vector<std::string>& names = {});

// Records the shapes of the inputs among the outlets of a node of the main graph, for the guards.
void recordInputs(Analysis& analysis, NodeId id);

}  // namespace axle::tensorflow
