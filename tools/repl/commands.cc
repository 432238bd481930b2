#include "tools/repl/commands.h"

#include <cstdio>

#include "frontend/diagnostic.h"
#include "tools/repl/handlers.h"
#include "tools/repl/output.h"
#include "tools/repl/statements.h"

namespace axle::repl {

bool printError(const std::string& what) {
  std::fprintf(stderr, "error: %s\n", what.c_str());
  return false;
}

namespace {

const Command* find(std::string_view name) {
  for (const Command& command : commands())
    if (command.name == name) return &command;
  return nullptr;
}

// Finds a command by its first letters. Returns null if several commands begin with them.
const Command* findShort(std::string_view name) {
  if (const Command* exact = find(name)) return exact;
  const Command* found = nullptr;
  for (const Command& command : commands()) {
    if (name.empty() || !command.name.starts_with(name)) continue;
    if (found) return nullptr;
    found = &command;
  }
  return found;
}

bool unknownCommand(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Command& command : commands()) known.push_back(command.name);
  std::string text = "unknown command `:" + std::string(name) + "`";
  std::vector<std::string> meant;
  for (const Command& command : commands())
    if (!name.empty() && command.name.starts_with(name)) meant.emplace_back(command.name);
  if (meant.empty()) meant = closestNames(name, known);
  for (std::size_t i = 0; i < meant.size(); ++i)
    text += (i == 0 ? "; did you mean `:" : i + 1 < meant.size() ? "`, `:" : "` or `:") + meant[i];
  if (!meant.empty()) text += "`?";
  return printError(text + "\n`:help` lists what there is");
}

constexpr Command table[] = {
#define COMMAND(name, arguments, help, details, handler) {name, arguments, help, details, handler},
#include "tools/repl/commands.def"
#undef COMMAND
};

}  // namespace

std::span<const Command> commands() { return table; }

bool showHelp(Session&, const InputText& typed) {
  std::string_view name = trimmed(typed.text);
  if (name.starts_with(':')) name.remove_prefix(1);
  if (!name.empty()) {
    const Command* command = findShort(name);
    if (!command) return unknownCommand(name);
    std::printf(":%s%s%s\n  %s\n%s", std::string(command->name).c_str(), command->arguments.empty() ? "" : " ",
                std::string(command->arguments).c_str(), std::string(command->help).c_str(),
                std::string(command->details).c_str());
    return true;
  }
  std::printf("An expression is evaluated, `name = expression;` defines a name, and these are commands:\n");
  for (const Command& command : commands()) {
    std::string use = ":" + std::string(command.name) + (command.arguments.empty() ? "" : " ");
    use += command.arguments;
    std::printf("  %-42s %s\n", use.c_str(), std::string(command.help).c_str());
  }
  std::printf(
      "An entry that is open at the end of a line continues on the next. An empty line ends it, two within brackets, "
      "and Ctrl-C\ndrops it. Pasted text may have empty lines.\n");
  return true;
}

bool quitSession(Session& session, const InputText&) {
  session.end();
  return true;
}

std::string commandFor(std::string_view entry) {
  const std::string_view word = trimmed(entry);
  if (word == "exit") return ":quit";
  return word == "?" ? ":help" : find(word) ? ":" + std::string(word) : "";
}

bool isCommandLine(std::string_view line) { return line.starts_with(':') && find(firstWord(line.substr(1)).first); }

bool runCommand(Session& session, const InputText& typed) {
  auto [name, rest] = firstWord(typed.text.substr(1));
  const Command* command = findShort(name);
  if (!command) return unknownCommand(name);
  return withPager([&, rest = rest] { return command->run(session, typed.part(rest)); });
}

}  // namespace axle::repl
