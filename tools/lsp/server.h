// The language server: reads messages, calls their handlers, answers every request.
#pragma once

#include <string>

#include "frontend/modules.h"
#include "tools/lsp/transport.h"

namespace axle::lsp {

// Serves a client until `exit` or the end of the input; gives the exit code. Whatever a handler throws becomes the
// error response to its request.
//
// For tests: AXLE_LSP_FAULT=METHOD in the environment makes that method throw, `check` and `fixes` the work between
// requests; AXLE_LSP_FAULT=METHOD:other throws what is no std::exception.
int serve(Transport& transport, const std::string& version, const LoadOptions& load);

}  // namespace axle::lsp
