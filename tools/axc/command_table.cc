#include "tools/axc/command_table.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "driver/reference.h"

namespace axle::axc {

namespace {

// Splits `text|json` into words. Returns none if it is not a list of words in lower case.
std::vector<std::string> choicesOf(const std::string& value) {
  const auto isWord = [](char c) { return (c >= 'a' && c <= 'z') || c == '|'; };
  if (value.empty() || !std::all_of(value.begin(), value.end(), isWord)) return {};
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find('|', at), value.size());
    words.push_back(value.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

bool isFile(const std::string& value) {
  for (const char* kind : {"FILE", "DIR", "OUT", "GRAPH", ".ax"})
    if (value.find(kind) != std::string::npos) return true;
  return value == "W";
}

OptionRow rowOf(const CLI::Option& option) {
  OptionRow row;
  for (const std::string& name : option.get_snames()) row.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) row.names.push_back("--" + name);
  const std::string type = option.get_type_name().substr(0, option.get_type_name().find(':'));  // CLI11 adds checks
  if (row.names.empty())
    row.value = option.get_name(true);
  else if (option.get_items_expected_max() > 0)
    row.value = type;
  row.help = option.get_description();
  row.choices = choicesOf(type);
  row.takesFile = isFile(row.value) || isFile(type);
  row.isRequired = option.get_required();
  row.isRepeated = option.get_items_expected_max() > 1;
  return row;
}

}  // namespace

std::vector<CommandWords> commandTable(const CLI::App& app) {
  std::vector<CommandWords> table;
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  for (const CLI::App* command : app.get_subcommands({})) {
    CommandWords words{command->get_name(), command->get_description(), {}, {}};
    for (const CLI::Option* option : command->get_options()) {
      OptionRow row = rowOf(*option);
      if (row.names.empty() && words.name == "explain") row.choices = driver::codeNames();
      if (row.names.empty() && words.name == "man") row.choices = commands;
      if (row.names.empty() && words.name == "ops") row.choices = driver::operatorNames();
      (row.names.empty() ? words.words : words.options).push_back(std::move(row));
    }
    table.push_back(std::move(words));
  }
  return table;
}

}  // namespace axle::axc
