// The error for outputs that need nodes whose values cannot be computed.
#pragma once

#include <vector>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// `places` are those of the values that are missing, in the listing.
void reportNotComputed(Analysis& analysis, const std::vector<Span>& places);

}  // namespace axle::tensorflow
