// A model as text.
#pragma once

#include <string>

#include "frontend/source.h"
#include "ir/graph.h"

namespace axle::ir {

// One line for each node: its outlets with their facts, the operator, its inputs and attributes, and its source.
std::string dumpText(const Model& model, const SourceMap& sources);

// The main graph and its bodies as clusters, for Graphviz.
std::string dumpDot(const Model& model, const SourceMap& sources);

}  // namespace axle::ir
