// Arrays of tensors (TF1): a handle, and a flow that orders writes and reads. All elements of an array have one type;
// the content of a flow is the elements after the writes so far, stacked.
#pragma once

#include <span>

namespace axle::tensorflow {

struct StructuralOperator;

std::span<const StructuralOperator> tensorArrayOperators();

}  // namespace axle::tensorflow
