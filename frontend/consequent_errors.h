// Drops errors that follow from other errors, so that one mistake gives one error. Internal to frontend/.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/diagnostic.h"

namespace axle {

// `found` is ordered by position, all in one source; `statementEnds` are the offsets of the top-level `;`.
void dropConsequentErrors(Diagnostics& found, const SourceMap& sources,
                          const std::vector<std::uint32_t>& statementEnds);

}  // namespace axle
