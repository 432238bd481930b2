// Checks the conditions of branches and loops, which must be scalars.
#pragma once

namespace axle::tensorflow {

struct Analysis;

// Adds an error for each Switch or loop whose condition is not a scalar.
void checkConditions(Analysis& analysis);

}  // namespace axle::tensorflow
