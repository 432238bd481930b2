// Prints facts.
#pragma once

#include <string>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// Names the sizes that hints name, then those that inputs determine; sizes without a name are printed as `?`.
void nameInputSizes(Analysis& analysis);

// Returns the name of a size in errors, which notes use, too. Inputs, then outlets of nodes, keep the names of their
// sizes; a size that only an operator's signature mentions gets an unused name.
std::string nameInMessage(Analysis& analysis, DimVar size);

// Returns `[n, 28]`; `..` if the rank is open.
std::string printShape(Analysis& analysis, const OutletFact& fact);
// Returns `[n, 28]` for a vector's value; empty if it is open or long.
std::string printValue(Analysis& analysis, const OutletFact& fact);
// Returns the element type, the shape, and the value if it is short.
std::string printFact(Analysis& analysis, const OutletFact& fact);

}  // namespace axle::tensorflow
