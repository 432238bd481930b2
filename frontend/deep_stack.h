// A deep stack for the compiler: parsing, checking and inlining recurse as deep as a program nests, up to their limits
// (tokens.h: maxNesting, transform.h: maxDepth), which may exceed the usual 8 MiB of a process's first thread.
#pragma once

#include <functional>

namespace axle {

// Runs `body` on a thread with a stack of 512 MiB, of which only used pages take memory, and waits for it to end. Runs
// it on the calling thread if no thread can be started. Rethrows an exception of `body`.
void onDeepStack(const std::function<void()>& body);

}  // namespace axle
