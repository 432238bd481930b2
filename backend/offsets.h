// Writes the memory plan of programs whose sizes are all known into the bundle, so that devices need not plan.
#pragma once

#include <cstdint>

namespace axle {

namespace bundle {
class Manifest;
}

// Writes `Graph.offsets` of each program without symbols, as the runtime plans it. A program that the runtime refuses
// gets none.
void writeOffsets(bundle::Manifest& manifest, std::uint64_t weightBytes);

}  // namespace axle
