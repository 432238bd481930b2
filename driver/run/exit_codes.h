// Exit codes of axc and axrun.
#pragma once

namespace axle {

inline constexpr int exitDone = 0;
inline constexpr int exitErrors = 1;  // the input has errors
inline constexpr int exitUsage = 2;   // the command line is wrong
inline constexpr int exitRun = 3;     // a run failed
inline constexpr int exitBug = 70;    // a bug in the tool itself

}  // namespace axle
