// Lists of tensors (TF2), which are passed on as values. All elements of a list have one type; a list's content is its
// elements, stacked.
#pragma once

#include <span>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct StructuralNode;
struct StructuralOperator;

std::span<const StructuralOperator> tensorListOperators();

// ---- shared with tensor arrays

// The list that an input stands for; null where it is none.
const ListFact* listAt(const RuleNode& n, std::size_t input);
// The list of an array behind its last write, whose length an array that grows has.
const ListFact* writtenArray(const RuleNode& n);

std::shared_ptr<const ListFact> makeList(TypeId element, Dim length, bool grows = false, bool isShort = false);

// The length after a write at the places that an input says. Where they are not known, elements that are there are
// written over, unless there is one at most.
Dim lengthAfterWrite(RuleNode& n, const ListFact& list, std::size_t input);

// The tensor of an input is an element of the list.
Outcome unifyElement(StructuralNode& n, const ListFact& list, std::size_t input);
// The tensor of an input is `length` elements, stacked.
Outcome unifyStacked(StructuralNode& n, const ListFact& list, std::size_t input, Dim length);

// The elements, whose first sizes may differ, one behind the other; and those sizes.
Outcome concatList(StructuralNode& n);
Outcome listLength(StructuralNode& n);

// The number of elements of a vector; a size of its own where the rank is not known.
Dim sizeOfVector(RuleNode& n, std::size_t input);
// The size that a scalar is; a size of its own where the value is not known.
Dim sizeOfScalar(RuleNode& n, std::size_t input);

}  // namespace axle::tensorflow
