// Runs a network as far as its frames allow.
#pragma once

#include "runtime/stream/network.h"

namespace axle::runtime {

// Begins a sequence: no frame, the first values of states.
Result<void> beginSequence(Network& network);

// Runs every actor until none can go on. Allocates nothing unless it fails.
Result<void> advance(Network& network);

// As advance(), after the targets are set to what is sure after the frames so far, or, once flushed, to the lengths.
Result<void> advanceToNow(Network& network);

}  // namespace axle::runtime
