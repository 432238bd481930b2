// Writes the stream section of a bundle: the stages of a network as programs, and their connections.
#pragma once

#include <vector>

#include "backend/bundle.h"
#include "ir/stream/network.h"

namespace axle::bundle {
class Stream;
}

namespace axle {

// Returns one variant for each stage. Adds a diagnostic if a size of a stage follows from none of its inputs.
std::vector<Variant> stageVariants(const ir::StreamNetwork& network, Diagnostics& diagnostics);

// Writes everything except the programs.
void writeStream(const ir::StreamNetwork& network, std::size_t modelInputs, bundle::Stream& out);

}  // namespace axle
