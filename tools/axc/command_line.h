// What axc does with CLI11.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/run/options.h"

namespace CLI {
class App;
}

namespace axle::axc {

// Adds `--version` and `--help`; with no words a command line is wrong.
void addStandardOptions(CLI::App& app, const std::string& name, const std::string& version);

// Options that are kept as data. What they store into must live as long as `app`.
void addOptions(CLI::App& app, const std::vector<run::Option>& options);

// Nothing when the command is to be carried out; else the exit code: 0 after help or version on stdout, 2 after an
// error on stderr.
std::optional<int> parseCommandLine(CLI::App& app, int argc, const char* const* argv);

}  // namespace axle::axc
