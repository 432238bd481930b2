// Facts as text.
#pragma once

#include <string>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;

// Names the sizes that hints name, then those that inputs bring; sizes without a name are printed as `?`.
void nameInputSizes(Analysis& analysis);

// What errors call a size: as notes do. Inputs, then outlets of nodes have names of their own; a size that only an
// operator's signature mentions has one that is free.
std::string nameInMessage(Analysis& analysis, DimVar size);

// `[n, 28]`; `..` where the rank is open.
std::string printShape(Analysis& analysis, const OutletFact& fact);
// `[n, 28]` of a vector's value; empty where it is open, or long.
std::string printValue(Analysis& analysis, const OutletFact& fact);
// Element type, shape, and the value where it is short.
std::string printFact(Analysis& analysis, const OutletFact& fact);

}  // namespace axle::tensorflow
