// Implements `axrun bench`: times runs on request, so that several runtimes can take turns.
#pragma once

#include "driver/run/measuring.h"

namespace axle::run {

// Implement the members `benchOptions` and `bench` of Measuring.
std::vector<Option> benchOptions(RunOptions& options);
int serveBenchmark(runtime::Session& session, const RunOptions& options, std::FILE* in, std::FILE* out, std::FILE* err);

}  // namespace axle::run
