// `run`, for a bundle that is loaded.
#pragma once

#include <cstdio>

#include <string>

#include "runtime/session.h"
#include "driver/run/failure.h"
#include "driver/run/options.h"

namespace axle::run {

// Takes or draws the inputs, runs, compares, writes and prints: results to `out`, everything else to `err`. Gives the
// exit code that CLI.md asks for. With --format=json exactly one object goes to `out`, also where the run fails.
int runSession(runtime::Session& session, const RunOptions& options, std::FILE* out, std::FILE* err);

// A bundle from its file; one that is not there is an error of the command line.
Outcome<runtime::Session> openBundle(const std::string& path);

// A failure before there are results; gives its exit code.
int reportFailedRun(const Failure& failure, const RunOptions& options, std::FILE* out, std::FILE* err);

}  // namespace axle::run
