// What the binary carries as documentation.
#pragma once

#include <string>
#include <string_view>

namespace axle::axc {

// All operators by family, or those of one family, or of one name; all modules, or the functions of one. Gives the exit
// code.
int opsCommand(const std::string& name);

// On one line, single blanks.
std::string oneLine(std::string_view text);

}  // namespace axle::axc
