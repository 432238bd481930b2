// Adds nodes to the current graph, and converts values to flat lists of tensors and back.
#pragma once

#include "ir/lower/context.h"

namespace axle::ir::lowering {

const Fact& fact(const Context& c, const Tensor& tensor);

// Adds a node to the current graph, with the names and spans of the expressions around it. Inputs may be tensors of
// enclosing graphs. Fails if a size of the facts or of the attributes is not known before the node runs.
std::optional<std::vector<Tensor>> emitNode(Context& c, Node node, const std::vector<Tensor>& inputs,
                                            std::vector<Fact> facts);
// Adds a node with one output.
std::optional<Tensor> emit(Context& c, Op op, const std::vector<Tensor>& inputs, Attributes attributes, Fact fact);

// Returns the constant as a tensor of the current graph, which has one node for each constant.
Tensor constantTensor(Context& c, ConstantId id);
Tensor zeroScalar(Context& c, Elem elem);

// Broadcasts a splat to its shape; returns any other tensor as it is.
std::optional<Tensor> materialize(Context& c, const Tensor& tensor);

// Returns `x` itself if it already has the shape.
std::optional<Tensor> reshape(Context& c, const Tensor& x, std::vector<Dim> shape);
std::optional<Tensor> transpose(Context& c, const Tensor& x, const std::vector<std::size_t>& perm);
// Slices `length` elements from `start` on along one axis.
std::optional<Tensor> sliceAlong(Context& c, const Tensor& x, std::size_t axis, Dim start, Dim length);

// Appends the tensors of a value, materialized, in order. Fails on functions: "a function may not be " + `where`.
bool flattenValue(Context& c, const Value& value, std::vector<Tensor>& into, Span span, const char* where);
// Returns a value of this type made of the tensors of `flat` from `next` on, and advances `next`.
Value rebuildValue(Context& c, TypeId type, const std::vector<Tensor>& flat, std::size_t& next);

}  // namespace axle::ir::lowering
