// The code of output files that cannot be written: bundles and sources.
#pragma once

#include "frontend/message.h"

namespace axle::codes {

inline const DiagnosticCode outputFile{"E0602", Severity::error, "an output that cannot be written"};

}  // namespace axle::codes
