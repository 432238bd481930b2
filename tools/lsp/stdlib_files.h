// Writes files of the standard library that an editor can open.
#pragma once

#include <string>

namespace axle::lsp {

// Returns a file with a module of the standard library, or with the core operators (`core`), for the user to read.
// Writes it to the user's cache if it is not there yet. Returns an empty path if that fails.
std::string stdlibFile(const std::string& name, const std::string& version);

}  // namespace axle::lsp
