// Parses command lines with CLI11.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/run/options.h"

namespace CLI {
class App;
}

namespace axle::axc {

// Adds `--version` and `--help`, and requires a command.
void addStandardOptions(CLI::App& app, const std::string& name, const std::string& version);

// Adds options described as data. The variables that they store into must live as long as `app`.
void addOptions(CLI::App& app, const std::vector<run::Option>& options);

// Returns the exit code if the command shall not run: 0 after help or version on stdout, 2 after an error on stderr.
std::optional<int> parseCommandLine(CLI::App& app, int argc, const char* const* argv);

}  // namespace axle::axc
