// `axrun info`: what a bundle holds.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "runtime/session.h"
#include "driver/run/failure.h"

namespace axle::run {

struct InfoOptions {
  std::vector<std::string> sets;  // NAME=SIZE; with all sizes known, arena and multiply-accumulates are known
  bool json = false;
};

// Prints to `out`, errors to `err`; gives the exit code. With JSON exactly one object goes to `out`, also on failure.
int showInfo(Outcome<runtime::Session>& session, const std::string& path, const InfoOptions& options, std::FILE* out,
             std::FILE* err);

}  // namespace axle::run
