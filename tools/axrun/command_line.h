// axrun's command line: `axrun COMMAND [OPTIONS] BUNDLE`, read without CLI11, whose streams would double the program.
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

// What to carry out.
struct CommandLine {
  const Command* command = nullptr;
  std::string bundle;
};

// Stores every option's value. Else the exit code: 0 after help or version on stdout, 2 after an error on stderr.
// A value follows its option as the next word, behind `=`, or directly behind a short one; `--` ends the options.
struct CommandLineResult {
  std::optional<int> exitCode;
  CommandLine line;
};
CommandLineResult readCommandLine(std::span<const Command> commands, std::span<char* const> words);

}  // namespace axle::run
