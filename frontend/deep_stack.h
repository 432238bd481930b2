// A stack for the recursions of the compiler: parsing, checking and inlining go as deep as a program nests, up to their
// limits (tokens.h: maxNesting, transform.h: maxDepth), which the 8 MiB of a process's first thread may not hold.
#pragma once

#include <functional>

namespace axle {

// Calls `body` on a thread with a stack of 512 MiB, of which only what is used takes memory, and waits for its end; calls
// it on this thread where none can be started. What it throws is thrown again here.
void onDeepStack(const std::function<void()>& body);

}  // namespace axle
