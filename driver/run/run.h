// The command `run`, for a loaded bundle.
#pragma once

#include <cstdio>

#include <string>

#include "driver/run/failure.h"
#include "driver/run/options.h"
#include "runtime/session.h"

namespace axle::run {

// Takes or draws the inputs, runs, compares, writes and prints: results to `out`, everything else to `err`. Gives the
// exit code (exit_codes.h). With --format=json exactly one object goes to `out`, also where the run fails.
int runSession(runtime::Session& session, const RunOptions& options, std::FILE* out, std::FILE* err);

// Sets the number of threads that the command line asks for; 0: it does not.
Outcome<void> useThreads(runtime::Session& session, unsigned threads);

// Loads a bundle from a file. A file that does not exist is an error of the command line.
Outcome<runtime::Session> openBundle(const std::string& path);

// Reports a failure before there are results; gives its exit code.
int reportFailedRun(const Failure& failure, const RunOptions& options, std::FILE* out, std::FILE* err);

}  // namespace axle::run
