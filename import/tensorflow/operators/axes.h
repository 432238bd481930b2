// What the rules of array operators share.
#pragma once

#include "import/tensorflow/operators/rule.h"

namespace axle::tensorflow {

// Counted from the front. None, after an error, where there is no such axis.
std::optional<std::size_t> axisWithin(RuleNode& n, std::int64_t axis, std::size_t rank);

// Whether a size follows from sizes of tensors only; else it is a number of any sign.
bool isSize(RuleNode& n, Dim d);
bool isAtLeast(RuleNode& n, Dim a, Dim b);
Dim larger(RuleNode& n, Dim a, Dim b);
Dim smaller(RuleNode& n, Dim a, Dim b);

Dims unknownSizes(RuleNode& n, std::size_t rank);
Outcome giveDims(RuleNode& n, const Dims& dims, std::size_t port = 0);
// The result has the type of an input, and values that are not computed yet.
Outcome giveLike(RuleNode& n, std::size_t input);
// The same as a rule; `input` is the first.
Outcome likeFirst(RuleNode& n, std::string_view core);
std::optional<TypedId> castTo(RuleNode& n, TypedId value, Elem elem);
// Both are one size. False after an error.
bool equate(RuleNode& n, Dim a, Dim b);

std::span<const Rule> slicingRules();
std::span<const Rule> joiningRules();
std::span<const Rule> gatheringRules();
std::span<const Rule> rearrangingRules();
std::span<const Rule> blockRules();
std::span<const Rule> makingRules();

}  // namespace axle::tensorflow
