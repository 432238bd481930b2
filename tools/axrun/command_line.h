// Reads axrun's command line, `axrun COMMAND [OPTIONS] BUNDLE`, without CLI11: its iostream would double the program.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/run/options.h"

namespace axle::run {

struct Command {
  std::string name;
  std::string help;
  std::vector<Option> options;
};

// A command line without errors.
struct CommandLine {
  const Command* command = nullptr;
  std::string bundle;
};

// A command line, or the exit code if there is nothing to run: 0 after help or version on stdout, 2 after an error on
// stderr.
struct CommandLineResult {
  std::optional<int> exitCode;
  CommandLine line;
};
// Reads the words and stores the values of options. A value is the next word, or follows `=`, or directly follows a
// short option; `--` ends the options.
CommandLineResult readCommandLine(std::span<const Command> commands, std::span<char* const> words);

}  // namespace axle::run
