// Results of branches against what takes them. The result's open sizes become what takes it needs: that may be what
// only some branches give, so that the run decides, or what none gives.
#pragma once

namespace axle::tensorflow {

struct Analysis;

// Adds a guard for each result that only some branches can give, an error for one that none can. Nothing where
// there are errors already.
void checkMergedBranches(Analysis& analysis);

}  // namespace axle::tensorflow
