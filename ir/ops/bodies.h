// What the rules of operators with bodies share. A body's inputs are the inputs that the operator feeds, then its
// captures, in order.
#pragma once

#include "ir/ops/rules.h"

namespace axle::ir {

using Facts = std::vector<Fact>;

// How two facts differ; none if they do not. `what` is the first.
std::optional<std::string> factMismatch(DimStore& dims, const Fact& a, const Fact& b, const std::string& what);

// How the inputs of the body differ from the facts fed; none if they do not.
std::optional<std::string> inputMismatch(const InferContext& c, const Graph& body, const Facts& fed,
                                         const std::string& name);

// How the outputs of the body, from `from` on, differ from the given facts; none if they do not.
std::optional<std::string> outputMismatch(const InferContext& c, const Graph& body, std::size_t from,
                                          const Facts& wanted, const std::string& name);

// The outputs of a body, from `from` on, over all iterations: stacked along a new axis, or concatenated where the
// declared rank is that of one output.
Facts collected(const InferContext& c, const Graph& body, std::size_t from, Dim length);
// Whether output `i` of the node has the results of output `i` of its body stacked.
bool isStacked(const InferContext& c, const Graph& body, std::size_t i);

// The facts of elements of the sequences, which are the inputs [from, from + count), all of one length.
tl::expected<Facts, std::string> elementFacts(const InferContext& c, std::size_t from, std::size_t count);

// Appends the facts [begin, end) without their values.
void appendFacts(Facts& to, const Facts& from, std::size_t begin, std::size_t end);

}  // namespace axle::ir
