// Work in a process of its own: it may change anything, crash, or be interrupted; the session stays as it was.
#pragma once

#include <functional>

namespace axle::repl {

// Called in the session's thread at its start: an interrupt ends only the current work; also the reading of a line
// where `breaksReading`.
void catchInterrupts(bool breaksReading);
// Whether an interrupt came since the last call.
bool wasInterrupted();

// The result of `work`, whose output is printed; false where it was interrupted or crashed, which is printed.
bool runInChild(const std::function<bool()>& work);

}  // namespace axle::repl
