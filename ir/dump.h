// Prints a model as text.
#pragma once

#include <string>

#include "frontend/source.h"
#include "ir/graph.h"

namespace axle::ir {

// Returns one line for each node: its outlets with their facts, the operator, its inputs and attributes, and its
// source.
std::string dumpText(const Model& model, const SourceMap& sources);

// Returns the main graph, with its bodies as clusters, for Graphviz.
std::string dumpDot(const Model& model, const SourceMap& sources);

}  // namespace axle::ir
