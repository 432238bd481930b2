// `axrun bench`: times that a benchmark asks for, so that several runtimes can take turns.
#pragma once

#include "driver/run/measuring.h"

namespace axle::run {

// As the members of Measuring.
std::vector<Option> benchOptions(RunOptions& options);
int serveBenchmark(runtime::Session& session, const RunOptions& options, std::FILE* in, std::FILE* out, std::FILE* err);

}  // namespace axle::run
