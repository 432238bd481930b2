// Run-time sizes: sizes that a node computes during the run. Every node that mentions one runs after that node.
#pragma once

#include "ir/lower/application.h"

namespace axle::ir::lowering {

// Whether `scope` is the current one or encloses it.
bool isEnclosing(const Context& c, std::uint32_t scope);
bool isRunSizeKnown(const Context& c, DimVar v);
// Makes a run-time size that no type mentions.
DimVar newRunSize(Context& c, std::string name);
// Declares that the next emitted node computes `v`, at most `most`. Returns false if `v` is already known; then the run
// compares the two.
bool declareRunSize(Context& c, DimVar v, Dim most);
// Declares the run-time sizes of the result's type, each at most the number of elements of the first input.
void declareResultSizes(Context& c, const Application& a, const std::vector<Tensor>& inputs);
// Binds the size `size`, at most `most`, to the value of an i64 scalar.
void bindRunSize(Context& c, DimVar size, const Tensor& value, Dim most);
// Orders a node after the nodes that compute the run-time sizes it mentions, unless its inputs already do.
void addSizeDependencies(Context& c, Node& node, const std::vector<Tensor>& inputs, const std::vector<Fact>& facts);

}  // namespace axle::ir::lowering
