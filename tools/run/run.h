// `run`, for a bundle that is loaded.
#pragma once

#include <cstdio>

#include "runtime/session.h"
#include "tools/run/options.h"

namespace axle::run {

// Takes or draws the inputs, runs, compares, writes and prints: results to `out`, everything else to `err`. Gives the
// exit code that CLI.md asks for.
int runSession(runtime::Session& session, const RunOptions& options, std::FILE* out, std::FILE* err);

// An error of loading, on `err`; gives its exit code.
int reportError(const runtime::RunError& error, std::FILE* err);

}  // namespace axle::run
