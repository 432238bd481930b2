// Counts the locks that code takes, in a program that links counted_calls.cc, and detects system calls.
#pragma once

#include <cstddef>
#include <functional>

namespace axle::runtime::test {

// Returns the number of calls so far of pthread functions that lock, or wait for a lock, a condition or a semaphore.
std::size_t locks();

enum class SystemCalls { none, some, unknown };  // unknown: this system cannot tell

// Runs `code` in a child process of one thread that the kernel stops at its first system call.
SystemCalls systemCallsOf(const std::function<void()>& code);

}  // namespace axle::runtime::test
