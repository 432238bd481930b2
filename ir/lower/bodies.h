// Graphs that are bodies of operators. A tensor of an enclosing graph that a body uses becomes an input, a capture.
#pragma once

#include <functional>

#include "ir/lower/context.h"

namespace axle::ir::lowering {

// Adds a node without inputs to the graph of `scope`.
OutletId addSource(Context& c, std::uint32_t scope, Op op, Fact fact);
// Returns the tensor as an outlet of the current graph. A tensor of an enclosing graph is captured by each body in
// between; constants and sizes are copied instead.
OutletId inCurrentGraph(Context& c, const Tensor& tensor);

struct Body {
  std::uint32_t scope = 0;
  std::vector<OutletId> fed;    // the inputs that the operator feeds
  std::vector<Tensor> outputs;  // the tensors of `result`
  Value result;
};
// Builds a graph with one input for each fact of `fed`. Its outputs are the tensors of the value that `value` returns
// for these inputs.
std::optional<Body> buildBody(Context& c, const std::vector<Fact>& fed, Span span, const char* where,
                              const std::function<std::optional<Value>(const std::vector<Tensor>&)>& value);
// Adds a node with these bodies. Their captures become further inputs of every body and of the node.
std::optional<std::vector<Tensor>> emitWithBodies(Context& c, Op op, Attributes attributes, std::vector<Tensor> inputs,
                                                  const std::vector<const Body*>& bodies, std::vector<Fact> facts,
                                                  std::vector<std::pair<std::uint32_t, DimVar>> runSizes = {});

}  // namespace axle::ir::lowering
