// The language server: reads messages, calls their handlers, answers every request.
#pragma once

#include <string>

#include "frontend/modules.h"
#include "tools/lsp/transport.h"

namespace axle::lsp {

// Serves a client until `exit` or the end of the input, and returns the exit code. An exception in a handler becomes
// the error response to its request.
//
// For tests: AXLE_LSP_FAULT=METHOD in the environment makes that method throw; `check` and `fixes` name the work
// between requests. AXLE_LSP_FAULT=METHOD:other throws something that is not a std::exception.
int serve(Transport& transport, const std::string& version, const LoadOptions& load);

}  // namespace axle::lsp
