#include "tools/axc/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

namespace axle::axc {

void addStandardOptions(CLI::App& app, const std::string& name, const std::string& version) {
  app.name(name);
  app.set_version_flag("--version", name + " " + version, "print the version and exit");
  app.set_help_flag("-h,--help", "print this help and exit");
  app.require_subcommand(1);
}

void addOptions(CLI::App& app, const std::vector<run::Option>& options) {
  for (const run::Option& option : options) {
    const auto take = [option](const std::vector<std::string>& values) {
      for (const std::string& value : values) {
        if (std::string wrong = option.take(value); !wrong.empty()) throw CLI::ValidationError(option.names, wrong);
      }
    };
    CLI::Option* added = app.add_option_function<std::vector<std::string>>(option.names, take, option.help);
    added->type_name(option.value)->allow_extra_args(false);
    if (!option.repeats) added->expected(1);
  }
}

// Returns the words in reverse, as CLI11 expects them. Gives an option without its optional value a value; CLI11 would
// take the next word for it.
static std::vector<std::string> wordsOf(int argc, const char* const* argv) {
  std::vector<std::string> words;
  for (int i = argc - 1; i > 0; --i) {
    const bool isLeftOff = argv[i] == run::profileOption && (words.empty() || !run::isTraceFile(words.back()));
    words.push_back(isLeftOff ? std::string(run::profileOption) + "=" + std::string(run::noTrace) : argv[i]);
  }
  return words;
}

std::optional<int> parseCommandLine(CLI::App& app, int argc, const char* const* argv) {
  try {
    std::vector<std::string> words = wordsOf(argc, argv);
    app.parse(words);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::CallForVersion& version) {
    std::printf("%s\n", version.what());
    return 0;
  } catch (const std::exception& error) {
    std::string name = app.get_name();
    for (const CLI::App* command : app.get_subcommands()) name += " " + command->get_name();
    std::fprintf(stderr, "error: %s\nrun `%s --help` for what it takes\n", error.what(), name.c_str());
    return 2;
  }
}

}  // namespace axle::axc
