// One mistake, one error: drops errors that are consequences of others. Internal to frontend/.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/diagnostic.h"

namespace axle {

// `found` is in the order of its places, all in one source; `statementEnds` are the offsets of the top-level `;`.
void dropCascades(Diagnostics& found, const SourceMap& sources, const std::vector<std::uint32_t>& statementEnds);

}  // namespace axle
