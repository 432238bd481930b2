// Checks results of branches against the nodes that take them. These nodes bind the result's open sizes. If only some
// branches give these sizes, the run decides; if none does, it is an error.
#pragma once

namespace axle::tensorflow {

struct Analysis;

// Adds a guard for each result that only some branches can give, and an error for each that none can. Does nothing if
// there are errors already.
void checkMergedBranches(Analysis& analysis);

}  // namespace axle::tensorflow
