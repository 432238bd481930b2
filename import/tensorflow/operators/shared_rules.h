// Rules that several families share.
#pragma once

#include <optional>
#include <string_view>

#include "import/tensorflow/operators/rule_node.h"

namespace axle::tensorflow {

// ---- axes and sizes

// Returns the axis counted from the front. None, after an error, if there is no such axis.
std::optional<std::size_t> axisWithin(RuleNode& n, std::int64_t axis, std::size_t rank);
// Whether a size depends only on sizes of tensors; otherwise it is a number of any sign.
bool isSize(const RuleNode& n, Dim d);
bool isAtLeast(RuleNode& n, Dim a, Dim b);
Dim larger(RuleNode& n, Dim a, Dim b);
Dim smaller(RuleNode& n, Dim a, Dim b);
// Returns a size that only the run determines.
Dim openSize(RuleNode& n);
Dims unknownSizes(RuleNode& n, std::size_t rank);
// Equates the first axes of `dims` with `front`. Returns false after an error.
bool beginsWith(RuleNode& n, const Dims& dims, const Dims& front);
// Appends the sizes of `from`, from the one at `first` on.
void appendFrom(Dims& to, const Dims& from, std::size_t first);

// ---- inputs

// Requires that an input is a tensor of this shape, with any element type. Returns false after an error, which marks
// the operator if no other place is given.
bool requireShape(RuleNode& n, std::size_t input, Shape shape, std::optional<Span> at = {});
bool requireDims(RuleNode& n, std::size_t input, const Dims& dims, std::optional<Span> at = {});

// ---- results

Outcome giveDims(RuleNode& n, const Dims& dims, std::size_t port = 0);
// Gives a tensor of that rank with unknown sizes.
Outcome giveUnknownSizes(RuleNode& n, std::size_t rank);
// Gives a tensor whose sizes are the value of an input.
Outcome giveSizesOf(RuleNode& n, std::size_t input);
// Gives the type of an input; the value stays unknown.
Outcome giveLike(RuleNode& n, std::size_t input);
// Returns the value cast to these elements. None after an error.
std::optional<TypedId> castTo(RuleNode& n, TypedId value, Elem elem);

// ---- rules that are the same for operators of several families

// The result has the type of the first input; its value stays unknown.
Outcome likeFirstInput(RuleNode& n, std::string_view);
Outcome scalarType(RuleNode& n, std::string_view);
// Only the element type is known.
Outcome anyShapeType(RuleNode& n, std::string_view);
std::optional<Known> firstInputValue(const RuleNode& n);

}  // namespace axle::tensorflow
