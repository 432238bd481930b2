// Infers the shapes of loops by following single iterations. If the first iteration keeps the shapes of the loop's
// start, every iteration does. If the shapes change and the condition is known in each iteration, the loop is unrolled.
#pragma once

namespace axle::tensorflow {

struct Analysis;

// Follows iterations of the loops that have states with open or changing shapes. Returns whether something was learnt;
// does nothing for a graph with errors.
bool followIterations(Analysis& analysis);

}  // namespace axle::tensorflow
