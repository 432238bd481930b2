// axc: the compiler's command line. Parses options and calls the libraries.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string_view>

#include "driver/run/failure.h"
#include "driver/run/instruction_set.h"
#include "frontend/deep_stack.h"
#include "frontend/diagnostic.h"
#include "tools/axc/command_line.h"
#include "tools/axc/commands.h"
#include "tools/axc/options.h"

namespace axle::axc {

namespace {

// Reports an unknown word with the closest known one; CLI11 would only say that it is unexpected.
std::optional<int> hint(const char* kind, std::string_view wrong, const std::vector<std::string>& known,
                        const std::string& command) {
  if (std::find(known.begin(), known.end(), wrong) != known.end()) return std::nullopt;
  std::vector<std::string_view> names(known.begin(), known.end());
  auto close = closestNames(wrong, names);
  if (wrong == "help" || wrong == "version") close = {"--" + std::string(wrong)};
  std::string text = "error: unknown " + std::string(kind) + " `" + std::string(wrong) + "`";
  if (!close.empty()) text += "; did you mean `" + close[0] + "`?";
  std::fprintf(stderr, "%s\nrun `%s --help` for what there is\n", text.c_str(), command.c_str());
  return exitUsage;
}

// Returns `--name` or `-n` of all options of an app.
std::vector<std::string> optionsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// Reports an option of a command that is written before the command.
std::optional<int> hintOrder(const CLI::App& app, std::string_view word) {
  const std::string name(word.substr(0, word.find('=')));
  const auto has = [&](const CLI::App& owner) {
    const std::vector<std::string> names = optionsOf(owner);
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (has(app)) return std::nullopt;
  for (const CommandRow& row : commands) {
    if (!has(*app.get_subcommand(row.name))) continue;
    std::fprintf(stderr, "error: `%s` is an option of commands and must follow a command: `axc %s %s ...`\n",
                 name.c_str(), row.name, std::string(word).c_str());
    return exitUsage;
  }
  return std::nullopt;
}

std::optional<int> checkWords(CLI::App& app, int argc, char** argv) {
  if (argc < 2) {
    std::fputs("error: a command is needed\nrun `axc --help` for what there is\n", stderr);
    return exitUsage;
  }
  if (argv[1][0] == '-') {
    if (auto misplaced = hintOrder(app, argv[1])) return misplaced;
    return hint("option", argv[1], optionsOf(app), "axc");
  }
  std::vector<std::string> names;
  for (const CommandRow& row : commands) names.emplace_back(row.name);
  if (auto wrong = hint("command", argv[1], names, "axc")) return wrong;
  const CLI::App& command = *app.get_subcommand(argv[1]);
  const std::vector<std::string> options = optionsOf(command);
  const std::string called = "axc " + command.get_name();
  for (int i = 2; i < argc; ++i) {
    std::string_view word = argv[i];
    if (word == "--") break;
    if (word.substr(0, 2) != "--") continue;
    const std::string name(word.substr(0, word.find('=')));
    if (auto wrong = hint("option", name, options, called)) return wrong;
    if (name.size() == word.size() || command.get_option(name)->get_items_expected_max() > 0) continue;
    std::fprintf(stderr, "error: %s takes no value\nrun `%s --help` for what it takes\n", name.c_str(), called.c_str());
    return exitUsage;
  }
  return std::nullopt;
}

int runCommandLine(int argc, char** argv) {
  CLI::App app{"Axle's compiler: checks, compiles and runs shape-typed models."};
  addStandardOptions(app, "axc", AXLE_VERSION);
  std::vector<std::pair<CLI::App*, Action>> actions;
  for (const CommandRow& row : commands) {
    CLI::App* command = app.add_subcommand(row.name, row.help);
    actions.emplace_back(command, row.add(*command));
    if (row.printsDiagnostics) addColourOption(*command);
  }
  if (auto wrong = checkWords(app, argc, argv)) return *wrong;
  if (auto code = parseCommandLine(app, argc, argv)) return *code;
  if (const auto problem = run::chooseInstructionSet()) {
    std::fprintf(stderr, "error: %s\n", problem->c_str());
    return exitUsage;
  }
  for (auto& [command, action] : actions)
    if (command->parsed()) return action();
  return exitUsage;
}

int guarded(int argc, char** argv) {
  std::string what;
  try {
    return runCommandLine(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
    return exitErrors;
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
    what = "an unknown exception";
  }
  std::fprintf(stderr,
               "error: this is a bug in axc: %s\nplease report it, with the command line and the source that show it\n",
               what.c_str());
  return exitBug;
}

}  // namespace

}  // namespace axle::axc

int main(int argc, char** argv) {
  axle::run::prepareStandardStreams();
  int exitCode = axle::exitBug;
  axle::onDeepStack([&] { exitCode = axle::axc::guarded(argc, argv); });
  return axle::run::finishOutput(exitCode);
}
