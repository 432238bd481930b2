// axc man: prints manual pages made from the commands' help.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>

#include "driver/run/failure.h"
#include "tools/axc/command_table.h"
#include "tools/axc/commands.h"

namespace axle::axc {

namespace {

// Escapes the characters that are special to troff: backslashes, hyphens, and a dot or a quote at the begin of a line.
std::string troff(const std::string& text) {
  std::string out = !text.empty() && (text[0] == '.' || text[0] == '\'') ? "\\&" : "";
  for (char c : text) out += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + troff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + troff(text) + "\\fR"; }

std::string optionText(const OptionRow& option) {
  std::string text = ".TP\n";
  const char* between = "";
  for (const std::string& name : option.names) {
    text += between + bold(name);
    between = ", ";
  }
  if (!option.value.empty()) text += (option.names.empty() ? "" : " ") + italic(option.value);
  return text + "\n" + troff(option.help) + "\n";
}

std::string heading(const std::string& name, const std::string& help) {
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return ".TH " + troff(title) + " 1 \"\" \"axc " AXLE_VERSION "\" \"User Commands\"\n.SH NAME\n" + troff(name) +
         " \\- " + troff(help) + "\n";
}

std::string wholePage(const std::vector<CommandWords>& table) {
  std::string page = heading("axc", "compile, check and run shape-typed models") +
                     ".SH SYNOPSIS\n\\fBaxc\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
  for (const CommandWords& command : table) page += ".TP\n" + bold(command.name) + "\n" + troff(command.help) + "\n";
  page += ".PP\nA page for each command: " + bold("axc man COMMAND") + "\n.SH EXIT STATUS\n";
  for (const auto& [code, meaning] : {std::pair("0", "done"),
                                      {"1", "the input has errors"},
                                      {"2", "the command line is wrong, or a file that it names is missing"},
                                      {"3", "a run failed, or an expectation was not met"},
                                      {"70", "a bug in axc"}})
    page += ".TP\n" + bold(code) + "\n" + troff(meaning) + "\n";
  return page + ".SH ENVIRONMENT\n.TP\n" + bold("NO_COLOR") + "\nno colour, unless --color=always\n.SH SEE ALSO\n" +
         bold("axrun --help") + "\n";
}

std::string commandPage(const CommandWords& command) {
  std::string page = heading("axc-" + command.name, command.help) + ".SH SYNOPSIS\n" + bold("axc " + command.name) +
                     " [\\fIOPTIONS\\fR]";
  for (const OptionRow& word : command.words)
    page +=
        (word.isRequired ? " " + italic(word.value) : " [" + italic(word.value) + "]") + (word.isRepeated ? "..." : "");
  page += "\n";
  if (!command.words.empty()) page += ".SH ARGUMENTS\n";
  for (const OptionRow& word : command.words) page += optionText(word);
  page += ".SH OPTIONS\n";
  for (const OptionRow& option : command.options) page += optionText(option);
  return page + ".SH SEE ALSO\n" + bold("axc") + "(1)\n";
}

}  // namespace

Action addMan(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  app.add_option("COMMAND", *name, "the command whose page is printed; without it the page of axc")->type_name("");
  return [name, &app] {
    const std::vector<CommandWords> table = commandTable(*app.get_parent());
    if (name->empty()) return run::print(wholePage(table), stdout, stderr) ? exitDone : exitUsage;
    for (const CommandWords& command : table)
      if (command.name == *name) return run::print(commandPage(command), stdout, stderr) ? exitDone : exitUsage;
    return run::report(run::fail(exitUsage, "there is no command `" + *name + "`").value(), stderr);
  };
}

}  // namespace axle::axc
