#include "tools/axrun/command_line.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <tl/expected.hpp>

#include "io/joined.h"

namespace axle::run {
namespace {

using Problem = tl::unexpected<std::string>;

std::string row(const std::string& left, const std::string& right) {
  constexpr std::size_t column = 28;
  const bool fits = left.size() + 3 < column;
  return joined(
      {"  ", left, fits ? std::string(column - left.size() - 2, ' ') : "\n" + std::string(column, ' '), right, "\n"});
}

std::string overallHelp(std::span<const Command> commands) {
  std::string text = "Runs bundles that `axc build` made.\nUsage: axrun COMMAND [OPTIONS] BUNDLE\n\nCommands:\n";
  for (const Command& command : commands) text += row(command.name, command.help);
  return joined({text, "\nOptions:\n", row("--version", "print the version and exit"),
                 row("-h,--help", "print this help and exit")});
}

std::string commandHelp(const Command& command) {
  std::string text = joined({command.help, ".\nUsage: axrun ", command.name, " [OPTIONS] BUNDLE\n\nOptions:\n"});
  for (const Option& option : command.options) text += row(joined({option.names, " ", option.value}), option.help);
  return text + row("-h,--help", "print this help and exit");
}

bool hasName(const Option& option, std::string_view name) {
  std::string_view names = option.names;
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    if (names.substr(0, comma) == name) return true;
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return false;
}

// Reads the words after the command.
class Reader {
 public:
  Reader(const Command& command, std::span<char* const> words) : command_(command), words_(words) {}

  // Returns the bundle's name or an error. With `wantsHelp` the result is meaningless.
  tl::expected<std::string, std::string> read() {
    bool options = true;
    while (next_ < words_.size() && !wantsHelp) {
      const std::string_view word = words_[next_++];
      if (options && word == "--") {
        options = false;
      } else if (options && word.size() > 1 && word[0] == '-') {
        if (std::string problem = option(word); !problem.empty()) return Problem(std::move(problem));
      } else if (bundle_) {
        return Problem(joined({"one bundle at a time: `", *bundle_, "`, and then `", word, "`"}));
      } else {
        bundle_ = word;
      }
    }
    if (!bundle_ && !wantsHelp) return Problem(joined({"`axrun ", command_.name, "` needs a BUNDLE"}));
    return bundle_.value_or("");
  }

  bool wantsHelp = false;

 private:
  // Stores the option's value. Returns the problem, or an empty text.
  std::string option(std::string_view word) {
    const bool isLong = word.starts_with("--");
    const std::string_view name = isLong ? word.substr(0, word.find('=')) : word.substr(0, 2);
    if (word == "-h" || word == "--help") {
      wantsHelp = true;
      return "";
    }
    const auto found = std::find_if(command_.options.begin(), command_.options.end(),
                                    [&](const Option& option) { return hasName(option, name); });
    if (found == command_.options.end()) return joined({"unknown option `", name, "`"});
    if (!found->repeats && std::find(seen_.begin(), seen_.end(), &*found) != seen_.end())
      return joined({name, " may be given once"});
    seen_.push_back(&*found);
    std::string value;
    if (found->isFlag && word.size() > name.size()) return joined({name, " takes no value"});
    if (found->isFlag)
      value.clear();
    else if (word.size() > name.size())
      value = word.substr(name.size() + (isLong || word[2] == '=' ? 1 : 0));
    else if (name == profileOption && (next_ == words_.size() || !isTraceFile(words_[next_])))
      value = noTrace;
    else if (next_ < words_.size())
      value = words_[next_++];
    else
      return joined({name, " needs a value: ", found->value});
    const std::string wrong = found->take(value);
    return wrong.empty() ? "" : joined({name, " ", wrong});
  }

  const Command& command_;
  std::span<char* const> words_;
  std::size_t next_ = 0;
  std::optional<std::string> bundle_;
  std::vector<const Option*> seen_;
};

CommandLineResult done(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return {0, {}};
}

CommandLineResult wrong(const std::string& problem, const std::string& command) {
  std::fprintf(stderr, "error: %s\nrun `axrun %s--help` for what it takes\n", problem.c_str(), command.c_str());
  return {2, {}};
}

}  // namespace

CommandLineResult readCommandLine(std::span<const Command> commands, std::span<char* const> words) {
  if (words.empty()) return wrong("a command is needed", "");
  const std::string_view first = words.front();
  if (first == "-h" || first == "--help") return done(overallHelp(commands));
  if (first == "--version") return done("axrun " AXLE_VERSION "\n");
  const auto command =
      std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.name == first; });
  if (command == commands.end()) return wrong(joined({"unknown command `", first, "`"}), "");
  Reader reader(*command, words.subspan(1));
  auto bundle = reader.read();
  if (reader.wantsHelp) return done(commandHelp(*command));
  if (!bundle) return wrong(bundle.error(), command->name + " ");
  return {std::nullopt, {&*command, *std::move(bundle)}};
}

}  // namespace axle::run
