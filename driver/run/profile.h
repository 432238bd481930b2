// Measures the calls of a session's runs.
#pragma once

#include <memory>

#include "driver/run/measuring.h"

namespace axle::run {

// The members of Measuring with these names.
Option profileOptionOf(RunOptions& options);
std::unique_ptr<RunProfile> profileOf(runtime::Session& session);

}  // namespace axle::run
