// Files of the standard library that an editor can open.
#pragma once

#include <string>

namespace axle::lsp {

// The file that holds a module of the standard library, or the core operators (`core`), for the user to read. It is
// written to the user's cache where it is not there yet; empty where that fails.
std::string stdlibFile(const std::string& name, const std::string& version);

}  // namespace axle::lsp
