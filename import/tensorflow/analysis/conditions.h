// Conditions of branches and loops, which must be able to decide.
#pragma once

namespace axle::tensorflow {

struct Analysis;

// Adds an error for each Switch or loop whose condition is no scalar.
void checkConditions(Analysis& analysis);

}  // namespace axle::tensorflow
