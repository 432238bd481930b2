// Runs a network on the frames that it has, as far as possible.
#pragma once

#include "runtime/stream/network.h"

namespace axle::runtime {

// Begins a sequence, without frames and with the first values of states.
Result<void> beginSequence(Network& network);

// Runs all actors until none can go on. Allocates nothing unless it fails.
Result<void> advance(Network& network);

// Sets the targets of buffers to the numbers of frames that are sure after the frames so far, or, once flushed, to
// their lengths. Then runs advance().
Result<void> advanceToNow(Network& network);

}  // namespace axle::runtime
