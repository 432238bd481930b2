// Reports outputs that depend on nodes whose values cannot be computed.
#pragma once

#include <vector>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// `places` are the missing values' places in the listing.
void reportNotComputed(Analysis& analysis, const std::vector<Span>& places);

}  // namespace axle::tensorflow
