// Parses the sizes and shapes that a command line gives an entry.
#pragma once

#include <map>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "typecheck/check.h"

namespace axle::driver {

// `sets` are words of `--set`: n=4, s=[2,3]. The error says what is wrong with one of them.
tl::expected<EntryOptions, std::string> readEntryOptions(const std::vector<std::string>& sets);

}  // namespace axle::driver
