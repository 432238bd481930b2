// A printed type can be written in a program: a function of that type that calls the first one has the same type.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <vector>

#include "frontend/modules.h"
#include "typecheck/check.h"
#include "typecheck/report/query.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> typesOf(const std::string& text, const fs::path& folder,
                                           BindingPrinter print = printBinding) {
  SourceMap sources;
  Diagnostics diagnostics;
  const fs::path path = folder / "pasted.ax";
  std::ofstream(path) << text;
  const Modules modules = loadModules(sources, path.string(), {}, diagnostics);
  fs::remove(path);
  std::map<std::string, std::string> types;
  if (modules.modules.empty()) return types;
  const CheckedPtr checked = check(modules, sources, {}, diagnostics);
  for (const BindingType& binding : bindingTypes(*checked, print)) types[binding.name] = binding.type;
  return types;
}

// Returns the position of `wanted` outside brackets, at or after `from`.
std::size_t findOutside(const std::string& text, const std::string& wanted, std::size_t from) {
  int depth = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (depth == 0 && text.compare(i, wanted.size(), wanted) == 0) return i;
    depth += (text[i] == '(' || text[i] == '[') - (text[i] == ')' || text[i] == ']');
  }
  return text.size();
}

// Returns a function of this type that calls `name`. None for a type with run-time sizes, or with an axis that is a
// static parameter: the type does not print where it splits a shape.
std::optional<std::string> pasted(const std::string& name, const std::string& type) {
  for (const char* mark : {"?", "~", "[*", " *", "error"})
    if (type.find(mark) != std::string::npos) return std::nullopt;
  if (!type.starts_with("(") || (type.find(";") != std::string::npos && type.find("] @") != std::string::npos))
    return std::nullopt;
  const std::size_t arrow = findOutside(type, " -> ", 0);
  if (arrow == type.size()) return std::nullopt;
  const std::size_t where = findOutside(type, " where ", arrow);
  const std::string all = type.substr(1, arrow - 2);
  const std::size_t semicolon = findOutside(all, "; ", 0);
  const std::string list = all.substr(0, semicolon);
  std::string parameters, arguments;
  for (std::size_t i = 0, number = 0; i < list.size(); ++number) {
    const std::size_t end = findOutside(list, ", ", i);
    const std::string parameter = "value" + std::to_string(number);
    parameters += (number ? ", " : "") + parameter + " : " + list.substr(i, end - i);
    arguments += (number ? ", " : "") + parameter;
    i = end + 2;
  }
  parameters += all.substr(semicolon);
  for (std::size_t i = semicolon + 2; i < all.size(); i = findOutside(all, ", ", i) + 2) {
    const std::string parameter = all.substr(i, all.find(' ', i) - i);
    arguments += (arguments.empty() ? "" : ", ") + parameter + "=" + parameter;
  }
  const std::string result = type.substr(arrow + 4, where - arrow - 4);
  return "fn (" + parameters + ") : " + result + type.substr(where) + " { " + name + "(" + arguments + ") }";
}

TEST(RoundTrip, PrintedTypesCanBeWritten) {
  const fs::path temporary = fs::temp_directory_path() / ("axle_round_trip_" + std::to_string(::getpid()));
  fs::create_directory(temporary);
  int compared = 0;
  for (const auto& entry : fs::directory_iterator("tests/typecheck/golden")) {
    if (entry.path().extension() != ".ax") continue;
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto types = typesOf(text, temporary);
    std::string again = text;
    std::map<std::string, std::string> functions;
    for (const auto& [name, type] : types)
      if (const auto function = pasted(name, type); function && name.find('.') == std::string::npos) {
        functions[name] = *function;
        again += "\n" + name + "_again = " + *function + ";";
      }
    const auto read = typesOf(again, temporary);
    for (const auto& [name, function] : functions) {
      ++compared;
      const auto found = read.find(name + "_again");
      const std::string is = found == read.end() ? "" : found->second;
      EXPECT_EQ(is, types.at(name)) << entry.path() << ": " << function;
    }
  }
  fs::remove_all(temporary);
  EXPECT_GT(compared, 100);
}

// The type of an operator with the names of its parameters, which is printed where names are known, can be written too.
TEST(RoundTrip, PrintedSignaturesAreTypes) {
  const fs::path temporary = fs::temp_directory_path() / ("axle_signatures_" + std::to_string(::getpid()));
  fs::create_directory(temporary);
  std::string values, pasted;
  for (const CoreOp& op : coreOps()) values += "of_" + std::string(op.name) + " = " + std::string(op.name) + ";\n";
  const auto types = typesOf(values, temporary), signatures = typesOf(values, temporary, printSignature);
  std::map<std::string, std::string> expected;
  for (const auto& [name, signature] : signatures) {
    if (signature.find_first_of("?*") != std::string::npos) continue;  // sizes of the run, and lengths
    const std::size_t where = findOutside(signature, " where ", 0);
    pasted += name + " = fn (f : " + signature.substr(0, where) + ")" + signature.substr(where) + " { f };\n";
    const std::string& type = types.at(name);
    EXPECT_NE(type, signature);
    const std::string alone = type.substr(0, findOutside(type, " where ", 0));
    expected[name] = "(" + alone + ") -> " + type;
  }
  EXPECT_EQ(typesOf(pasted, temporary), expected);
  EXPECT_GT(expected.size(), 100);
  fs::remove_all(temporary);
}

}  // namespace
}  // namespace axle
