// axc completion: prints the script with which a shell completes command lines.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "driver/run/failure.h"
#include "tools/axc/command_table.h"
#include "tools/axc/commands.h"

namespace axle::axc {

namespace {

using Table = std::vector<CommandWords>;

std::string joined(const std::vector<std::string>& words, const std::string& between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::vector<std::string> commandNames(const Table& table) {
  std::vector<std::string> names;
  for (const CommandWords& command : table) names.push_back(command.name);
  return names;
}

// Puts a backslash before each of these characters.
std::string escaped(const std::string& text, const std::string& characters) {
  std::string out;
  for (char c : text) {
    if (characters.find(c) != std::string::npos) out += '\\';
    out += c;
  }
  return out;
}

// Puts text in single quotes, for shells without escapes in them.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// ---- bash

std::string bashCommand(const CommandWords& command) {
  std::string values;
  std::vector<std::string> options;
  for (const OptionRow& option : command.options) {
    options.insert(options.end(), option.names.begin(), option.names.end());
    if (option.value.empty()) continue;
    values += "        " + joined(option.names, "|") + ") ";
    if (option.takesFile)
      values += "files=1;;\n";
    else
      values += "words='" + joined(option.choices) + "'; return;;\n";
  }
  std::string text = "    " + command.name + ")\n      case $previous in\n" + values + "      esac\n";
  text += "      options='" + joined(options) + "'\n";
  for (const OptionRow& word : command.words) {
    if (!word.choices.empty()) text += "      words='" + joined(word.choices) + "'\n";
    if (word.takesFile) text += "      files=1\n";
  }
  return text + "      ;;\n";
}

std::string bashScript(const Table& table) {
  std::string commands;
  for (const CommandWords& command : table) commands += bashCommand(command);
  return "# Completion of axc for bash: source <(axc completion bash)\n"
         "_axc_words() {\n"
         "  local command=$1 previous=$2\n"
         "  case $command in\n" +
         commands +
         "  esac\n"
         "}\n"
         "\n"
         "_axc() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words='' options='' files=''\n"
         "  COMPREPLY=()\n"
         "  # The shell takes the `=` of --option=value and NAME=FILE as a word.\n"
         "  if [[ $current == '=' ]]; then current=''; previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  elif [[ $previous == '=' ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
         "  if (( COMP_CWORD == 1 )); then\n"
         "    words='" +
         joined(commandNames(table)) +
         "'; options='--help --version'\n"
         "  else\n"
         "    _axc_words \"${COMP_WORDS[1]}\" \"$previous\"\n"
         "  fi\n"
         "  [[ $current == -* ]] && words=$options files=''\n"
         "  COMPREPLY=( $(compgen -W \"$words\" -- \"$current\") )\n"
         "  if [[ $files ]]; then local IFS=$'\\n'; COMPREPLY+=( $(compgen -f -- \"$current\") ); fi\n"
         "}\n"
         "complete -o filenames -F _axc axc\n";
}

// ---- zsh

std::string zshAction(const OptionRow& row) {
  if (!row.choices.empty()) {
    std::vector<std::string> words;
    for (const std::string& choice : row.choices) words.push_back(escaped(choice, "\\: ()*?[]|&;<>'\"$`~#^"));
    return "(" + joined(words) + ")";
  }
  return row.takesFile ? "_files" : " ";
}

std::string zshCommand(const CommandWords& command) {
  std::string text = "    " + command.name + ")\n      _arguments";
  const auto add = [&](const std::string& spec) { text += " \\\n        " + quoted(spec); };
  for (const OptionRow& option : command.options)
    for (const std::string& name : option.names) {
      std::string spec = "*" + name + (option.value.empty() ? "" : name.starts_with("--") ? "=" : "+");
      spec += "[" + escaped(option.help, "[]\\:") + "]";
      if (!option.value.empty()) spec += ":" + escaped(option.value, ":\\") + ":" + zshAction(option);
      add(spec);
    }
  for (const OptionRow& word : command.words) add("*:" + escaped(word.value, ":\\") + ":" + zshAction(word));
  return text + "\n      ;;\n";
}

std::string zshScript(const Table& table) {
  std::string names, commands;
  for (const CommandWords& command : table) {
    names += "    " + quoted(escaped(command.name, ":") + ":" + command.help) + "\n";
    commands += zshCommand(command);
  }
  return "#compdef axc\n"
         "# Completion of axc for zsh: put this into a file _axc in a folder of $fpath.\n"
         "_axc() {\n"
         "  local -a commands=(\n" +
         names +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $words[1] in\n" +
         commands +
         "  esac\n"
         "}\n"
         "# A file of $fpath is called as the function the first time.\n"
         "if [[ $funcstack[1] == _axc ]]; then _axc \"$@\"; else compdef _axc axc; fi\n";
}

// ---- fish

std::string fishScript(const Table& table) {
  std::string text = "# Completion of axc for fish: axc completion fish > ~/.config/fish/completions/axc.fish\n";
  for (const CommandWords& command : table) {
    text += "complete -c axc -n __fish_use_subcommand -f -a " + command.name + " -d " + quoted(command.help) + "\n";
    const std::string start = "complete -c axc -n '__fish_seen_subcommand_from " + command.name + "'";
    for (const OptionRow& option : command.options) {
      text += start;
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.value.empty()) text += option.takesFile ? " -r" : " -x";
      if (!option.choices.empty()) text += " -a " + quoted(joined(option.choices));
      text += " -d " + quoted(option.help) + "\n";
    }
    for (const OptionRow& word : command.words)
      if (!word.takesFile) text += start + " -f -a " + quoted(joined(word.choices)) + "\n";
  }
  return text;
}

struct Shell {
  const char* name;
  std::string (*script)(const Table&);
};
constexpr Shell shells[] = {{"bash", bashScript}, {"zsh", zshScript}, {"fish", fishScript}};

}  // namespace

Action addCompletion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const Shell& row : shells) names.emplace_back(row.name);
  app.add_option("SHELL", *shell, "the shell that reads what this prints")
      ->type_name(joined(names, "|"))
      ->required()
      ->check(CLI::IsMember(names).description(""));
  return [shell, &app] {
    for (const Shell& row : shells)
      if (row.name == *shell)
        return run::print(row.script(commandTable(*app.get_parent())), stdout, stderr) ? exitDone : exitUsage;
    return exitUsage;
  };
}

}  // namespace axle::axc
