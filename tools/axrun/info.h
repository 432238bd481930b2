// `axrun info`: prints the contents of a bundle.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "driver/run/failure.h"
#include "runtime/session.h"

namespace axle::run {

struct InfoOptions {
  std::vector<std::string> sets;  // NAME=SIZE; all sizes determine arena and multiply-accumulates
  bool json = false;
};

// Prints to `out`, errors to `err`, and returns the exit code. With JSON prints exactly one object to `out`, even on
// failure.
int showInfo(Outcome<runtime::Session>& session, const std::string& path, const InfoOptions& options, std::FILE* out,
             std::FILE* err);

}  // namespace axle::run
