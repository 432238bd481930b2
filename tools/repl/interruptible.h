// Runs work that Ctrl-C can end without changing the session: in the session's process if the work can be rolled back
// and looks for interrupts itself, otherwise in a child process.
#pragma once

#include <atomic>
#include <functional>

namespace axle::repl {

// Call in the session's thread at its start. From then on an interrupt ends only the current work and, with
// `breaksReading`, the reading of a line.
void catchInterrupts(bool breaksReading);
// Whether an interrupt came since the last call.
bool wasInterrupted();
// Returns the flag for `CheckOptions::interrupt`, set by an interrupt of the work in `runHere`.
const std::atomic<bool>* interruptFlag();

// Runs `work` in this process and returns its result. If it was interrupted (threw Interrupted) or threw another
// exception, prints that and returns false.
bool runHere(const std::function<bool()>& work);

// Runs `work` in a child process and returns its result. It may change anything, crash, or ignore interrupts; its
// output is printed. If it was interrupted or crashed, prints that and returns false.
bool runInChild(const std::function<bool()>& work);

}  // namespace axle::repl
