// The note of an error that shows the types which its node takes, with the sizes that the message mentions marked.
#pragma once

#include <cstdint>
#include <vector>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// The whole numbers of a message that are sizes: none of a rank or an axis, none within a name.
std::vector<std::int64_t> mentionedSizes(const Diagnostic& d);

void noteInputs(Analysis& analysis, Diagnostic& d, const Site& site);

}  // namespace axle::tensorflow
