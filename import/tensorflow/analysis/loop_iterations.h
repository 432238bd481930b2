// Loops whose shapes are learnt by following single iterations. Where the first iteration, from the shapes that the
// loop starts with, keeps them, every iteration does. Where the shapes change and the condition is known in each
// iteration, the loop is unrolled.
#pragma once

namespace axle::tensorflow {

struct Analysis;

// Follows iterations of the loops some of whose states have open shapes, or shapes that change. True where something
// was learnt; nothing is of a graph with errors.
bool followIterations(Analysis& analysis);

}  // namespace axle::tensorflow
