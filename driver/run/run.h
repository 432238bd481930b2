// Runs the command `run` for a loaded bundle.
#pragma once

#include <cstdio>

#include <string>

#include "driver/run/failure.h"
#include "driver/run/options.h"
#include "runtime/session.h"

namespace axle::run {

// Reads or draws the inputs, runs, compares, writes and prints: results to `out`, everything else to `err`. Returns the
// exit code (exit_codes.h). With --format=json, exactly one object goes to `out`, even if the run fails.
int runSession(runtime::Session& session, const RunOptions& options, std::FILE* out, std::FILE* err);

// Sets the number of threads that the command line requests; 0: it requests none.
Outcome<void> useThreads(runtime::Session& session, unsigned threads);

// Loads a bundle from a file. A file that does not exist is an error of the command line.
Outcome<runtime::Session> openBundle(const std::string& path);

// Reports a failure before there are results; returns its exit code.
int reportFailedRun(const Failure& failure, const RunOptions& options, std::FILE* out, std::FILE* err);

}  // namespace axle::run
