// Sizes that `--input` names and that the graph makes numbers or other names.
#pragma once

#include "typecheck/check.h"

namespace axle::tensorflow {

struct Analysis;

// Warns of each such size after a run of the analysis, refuses it, or allows it. A size that a file of an input gives,
// or that the graph itself leaves open, was promised to nobody.
void reportNarrowedSizes(Analysis& analysis, Narrowing narrowing);

}  // namespace axle::tensorflow
