// Reports sizes that `--input` names but that the graph binds to numbers or other names.
#pragma once

#include "typecheck/check.h"

namespace axle::tensorflow {

struct Analysis;

// After a run of the analysis: warns of each such size, refuses it, or allows it. Ignores sizes that the file of an
// input gives, or that the graph itself leaves open.
void reportNarrowedSizes(Analysis& analysis, Narrowing narrowing);

}  // namespace axle::tensorflow
