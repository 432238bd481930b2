// The commands and options of axc as data, read from what the commands declare: shell completion and man pages are made
// of it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace axle::axc {

struct OptionRow {
  std::vector<std::string> names;  // with their dashes; none of a word that stands without one
  std::string value;               // `FILE`, `text|json`; empty: a flag
  std::string help;
  std::vector<std::string> choices;  // of the value, where they are few
  bool takesFile = false;
  bool isRequired = false;
  bool isRepeated = false;  // it may be given several times
};

struct CommandWords {
  std::string name, help;
  std::vector<OptionRow> options;
  std::vector<OptionRow> words;  // that stand without an option, in order
};

// All commands of the app, in order, each with its options.
std::vector<CommandWords> commandTable(const CLI::App& app);

}  // namespace axle::axc
