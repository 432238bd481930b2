// Finds the first patch of the passes that changes a result.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "driver/compile.h"
#include "driver/run/failure.h"
#include "driver/run/options.h"

namespace axle::driver {

struct Bisection {
  std::size_t patches = 0;           // number of patches that the passes apply
  std::optional<std::size_t> first;  // the patch, counted from 1; none if no result changes beyond the tolerance
  std::string patch;                 // what it does
  std::string difference;            // the output that changes, and how
};

// Runs the model on the same inputs with fewer and fewer patches. Fails if the model does not compile.
run::Outcome<Bisection> bisect(const CompileOptions& compile, const run::RunOptions& options);

}  // namespace axle::driver
