// Functions for the rules of operators with bodies. A body's inputs are the inputs that the operator feeds, then its
// captures, in order.
#pragma once

#include "ir/ops/rules.h"

namespace axle::ir {

using Facts = std::vector<Fact>;

// Says how two facts differ; returns nothing if they agree. `what` names the first.
std::optional<std::string> factMismatch(DimStore& dims, const Fact& a, const Fact& b, const std::string& what);

// Says how the inputs of the body differ from the facts fed; returns nothing if they agree.
std::optional<std::string> inputMismatch(const InferContext& c, const Graph& body, const Facts& fed,
                                         const std::string& name);

// Says how the outputs of the body, from `from` on, differ from the given facts; returns nothing if they agree.
std::optional<std::string> outputMismatch(const InferContext& c, const Graph& body, std::size_t from,
                                          const Facts& wanted, const std::string& name);

// Returns the facts of a body's outputs, from `from` on, over all iterations: stacked along a new axis, or concatenated
// if the declared rank is that of one output.
Facts collected(const InferContext& c, const Graph& body, std::size_t from, Dim length);
// Whether output `i` of the node stacks the results of output `i` of its body.
bool isStacked(const InferContext& c, const Graph& body, std::size_t i);

// Returns the facts of one element of each sequence. The sequences are the inputs [from, from + count) and have one
// length.
tl::expected<Facts, std::string> elementFacts(const InferContext& c, std::size_t from, std::size_t count);

// Appends the facts [begin, end) without their values.
void appendFacts(Facts& to, const Facts& from, std::size_t begin, std::size_t end);

}  // namespace axle::ir
