// The commands and options of axc as data, read from the commands' declarations. Shell completion and man pages are
// made from it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace axle::axc {

struct OptionRow {
  std::vector<std::string> names;  // with their dashes; empty for a word without an option
  std::string value;               // `FILE`, `text|json`; empty: a flag
  std::string help;
  std::vector<std::string> choices;  // all possible values, if there are few
  bool takesFile = false;
  bool isRequired = false;
  bool isRepeated = false;  // may occur several times
};

struct CommandWords {
  std::string name, help;
  std::vector<OptionRow> options;
  std::vector<OptionRow> words;  // words without an option, in order
};

// Returns all commands of the app, in order, each with its options.
std::vector<CommandWords> commandTable(const CLI::App& app);

}  // namespace axle::axc
