// What the rules of several families share.
#pragma once

#include <optional>
#include <string_view>

#include "import/tensorflow/operators/rule_node.h"

namespace axle::tensorflow {

// ---- axes and sizes

// The axis counted from the front. None, after an error, where there is no such axis.
std::optional<std::size_t> axisWithin(RuleNode& n, std::int64_t axis, std::size_t rank);
// True where a size follows from sizes of tensors only; else it is a number of any sign.
bool isSize(RuleNode& n, Dim d);
bool isAtLeast(RuleNode& n, Dim a, Dim b);
Dim larger(RuleNode& n, Dim a, Dim b);
Dim smaller(RuleNode& n, Dim a, Dim b);
// A size that only the run finds.
Dim openSize(RuleNode& n);
Dims unknownSizes(RuleNode& n, std::size_t rank);
// Makes the first axes of `dims` those of `front`. False after an error.
bool beginsWith(RuleNode& n, const Dims& dims, const Dims& front);
// Appends the sizes of `from`, from the one at `first` on.
void appendFrom(Dims& to, const Dims& from, std::size_t first);

// ---- inputs

// Requires an input to be a tensor of this shape, of any elements. False after an error, which marks the operator where
// no other place is given.
bool requireShape(RuleNode& n, std::size_t input, Shape shape, std::optional<Span> at = {});
bool requireDims(RuleNode& n, std::size_t input, const Dims& dims, std::optional<Span> at = {});

// ---- results

Outcome giveDims(RuleNode& n, const Dims& dims, std::size_t port = 0);
// Gives a tensor of that rank, of sizes that are not known.
Outcome giveUnknownSizes(RuleNode& n, std::size_t rank);
// Gives a tensor whose sizes are the value of an input.
Outcome giveSizesOf(RuleNode& n, std::size_t input);
// Gives the type of an input; the value stays unknown.
Outcome giveLike(RuleNode& n, std::size_t input);
// The value cast to these elements. None after an error.
std::optional<TypedId> castTo(RuleNode& n, TypedId value, Elem elem);

// ---- rules that are the same for operators of several families

// The result has the type of the first input; its value stays unknown.
Outcome likeFirstInput(RuleNode& n, std::string_view);
Outcome scalarType(RuleNode& n, std::string_view);
// Only the elements are known.
Outcome anyShapeType(RuleNode& n, std::string_view);
std::optional<Known> firstInputValue(const RuleNode& n);

}  // namespace axle::tensorflow
