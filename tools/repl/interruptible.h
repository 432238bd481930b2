// Work that Ctrl-C ends, while the session stays as it was: in the session's process where the work can be rolled back
// and looks for interrupts itself, else in a child process.
#pragma once

#include <atomic>
#include <functional>

namespace axle::repl {

// Called in the session's thread at its start. From then on an interrupt ends only the current work, and with
// `breaksReading` the reading of a line.
void catchInterrupts(bool breaksReading);
// Whether an interrupt came since the last call.
bool wasInterrupted();
// Set by an interrupt of what `runHere` does: for `CheckOptions::interrupt`.
const std::atomic<bool>* interruptFlag();

// The result of `work`, which is done in this process. False where it was interrupted (it threw Interrupted) or threw
// another exception; that is printed.
bool runHere(const std::function<bool()>& work);

// The result of `work`, which is done in a child process: it may change anything, crash, or ignore interrupts. What it
// prints is printed. False where it was interrupted or crashed; that is printed.
bool runInChild(const std::function<bool()>& work);

}  // namespace axle::repl
