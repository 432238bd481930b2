// Finds the weights whose elements must be positive, so that drawn values give no NaN.
#pragma once

#include <cstdint>
#include <set>

#include "ir/graph.h"

namespace axle::driver {

// Returns the weights (indices into the model's) of which an operator takes a root or a logarithm, directly or after
// adding something, converting or reshaping it (the table in positive_weights.cc): the variance of a normalisation.
// `model` is as lowered; values that enter a body are not followed.
std::set<std::uint32_t> positiveWeights(const ir::Model& model);

}  // namespace axle::driver
