// Measures the calls of a session's runs.
#pragma once

#include <memory>

#include "driver/run/measuring.h"

namespace axle::run {

// Implement the members `profileOption` and `profile` of Measuring.
Option profileOptionOf(RunOptions& options);
std::unique_ptr<RunProfile> profileOf(runtime::Session& session);

}  // namespace axle::run
