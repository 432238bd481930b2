// CLI11 as axc uses it.
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

// Adds options that are given as data. What they store into must live as long as `app`.
void addOptions(CLI::App& app, const std::vector<run::Option>& options);

// None when the command is to run; else the exit code: 0 after help or version on stdout, 2 after an error on stderr.
std::optional<int> parseCommandLine(CLI::App& app, int argc, const char* const* argv);

}  // namespace axle::axc
