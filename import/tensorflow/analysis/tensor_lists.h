// Lists of tensors (TF2), which are passed on as values. All elements of a list have one type; the content of a list is
// its elements, stacked.
#pragma once

#include <span>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct StructuralNode;
struct StructuralOperator;

std::span<const StructuralOperator> tensorListOperators();

// ---- shared with tensor arrays

// Returns the list that an input stands for; null if it is not a list.
const ListFact* listAt(const RuleNode& n, std::size_t input);
// Returns the list of an array. If the array grows, its length is that after the last write.
const ListFact* writtenArray(const RuleNode& n);

std::shared_ptr<const ListFact> makeList(TypeId element, Dim length, bool grows = false, bool isShort = false);

// Returns the length after a write at the indices that an input gives. If they are unknown, assumes that existing
// elements are overwritten, unless there is at most one.
Dim lengthAfterWrite(RuleNode& n, const ListFact& list, std::size_t input);

// Requires that an input's tensor is an element of the list.
Outcome unifyElement(StructuralNode& n, const ListFact& list, std::size_t input);
// Requires that an input's tensor is `length` elements, stacked.
Outcome unifyStacked(StructuralNode& n, const ListFact& list, std::size_t input, Dim length);

// Types the concatenation of the elements, whose first sizes may differ, and the tensor of those sizes.
Outcome concatList(StructuralNode& n);
Outcome listLength(StructuralNode& n);

// Returns the number of elements of a vector; a new size if the rank is unknown.
Dim sizeOfVector(RuleNode& n, std::size_t input);
// Returns the size that is a scalar's value; a new size if the value is unknown.
Dim sizeOfScalar(RuleNode& n, std::size_t input);

}  // namespace axle::tensorflow
