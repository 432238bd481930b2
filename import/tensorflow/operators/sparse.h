// Functions that the rules of sparse and of ragged tensors share.
#pragma once

#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow::sparse {

Outcome giveSparse(RuleNode& n, Dim values, Dim rank, std::size_t port = 0);

}  // namespace axle::tensorflow::sparse
