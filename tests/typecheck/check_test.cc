// Compares the checker's output for each program with its golden: the types of the bindings, the diagnostics, and the
// guards of the entry. The first lines of a program may be `// weights: NAME ELEM [SIZES]; ...`, `// entry: NAME`,
// `// set: n=4 s=[2,3]`, `// budget: TERMS STEPS`.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "frontend/modules.h"
#include "tests/frontend/golden.h"
#include "typecheck/check.h"
#include "typecheck/infer/infer_program.h"
#include "typecheck/report/fixes.h"
#include "typecheck/report/query.h"
#include "typecheck/types/operator_signatures.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

std::string directive(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.starts_with("//");)
    if (line.starts_with("// " + name + ": ")) return line.substr(name.size() + 5);
  return {};
}

std::vector<std::int64_t> sizes(std::string list) {
  std::vector<std::int64_t> out;
  for (char& ch : list)
    if (ch == '[' || ch == ']' || ch == ',') ch = ' ';
  std::istringstream words(list);
  for (std::int64_t size; words >> size;) out.push_back(size);
  return out;
}

struct Result {
  std::string text;
  std::set<std::string> codes;
};

Result checkFile(const fs::path& path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  SourceMap sources;
  Diagnostics diagnostics;
  Modules modules = loadModules(sources, path.string(), {}, diagnostics);
  Result result;
  if (modules.modules.empty()) return result;

  std::map<std::string, WeightType> tensors;
  std::map<std::string, std::string> unreadable;
  WeightSource weights;
  weights.path = "weights.safetensors";
  std::istringstream list(directive(text, "weights"));
  for (std::string entry; std::getline(list, entry, ';');) {
    std::istringstream words(entry);
    std::string name, elem, shape;
    words >> name >> elem;
    std::getline(words, shape);
    if (auto known = elemNamed(elem))
      tensors[name] = {*known, sizes(shape)};
    else
      unreadable[name] = "its element type " + elem + " is not supported";
    weights.names.push_back(name);
  }
  weights.find = [&](const std::string& name) {
    auto it = tensors.find(name);
    return it == tensors.end() ? std::nullopt : std::optional(it->second);
  };
  weights.unreadable = [&](const std::string& name) {
    auto it = unreadable.find(name);
    return it == unreadable.end() ? std::nullopt : std::optional(it->second);
  };
  CheckOptions options;
  if (!weights.names.empty()) options.weights = &weights;
  if (std::string budget = directive(text, "budget"); !budget.empty())
    std::istringstream(budget) >> options.dimWork >> options.work;
  CheckedPtr checked = check(modules, sources, options, diagnostics);
  offerFixes(*checked, options, diagnostics);
  for (const BindingType& binding : bindingTypes(*checked, printBinding))
    result.text += binding.name + " : " + binding.type + "\n";

  EntryOptions entryOptions;
  entryOptions.name = directive(text, "entry");
  std::istringstream sets(directive(text, "set"));
  for (std::string set; sets >> set;) {
    auto equals = set.find('=');
    if (set[equals + 1] == '[')
      entryOptions.shapes[set.substr(0, equals)] = sizes(set.substr(equals + 1));
    else
      entryOptions.dims[set.substr(0, equals)] = sizes(set.substr(equals + 1))[0];
  }
  if (!entryOptions.name.empty() && !hasErrors(diagnostics)) {
    if (auto entry = prepareEntry(*checked, entryOptions, diagnostics)) {
      result.text += "entry " + entry->name + " : " + entry->type + "\n";
      for (const DimFact& guard : entry->guards)
        result.text += "guard " + printFact(*checked, guard) + "    (" + guard.reason + ")\n";
    }
  }
  for (const Diagnostic& diagnostic : diagnostics) {
    result.text += (result.text.empty() ? "" : "\n") + render(diagnostic, sources);
    result.codes.insert(std::string(diagnostic.code->code));
  }
  return result;
}

std::set<std::string> compareFolder(const std::string& folder) {
  fs::path before = fs::current_path();
  fs::current_path(folder);
  std::set<std::string> codes;
  for (const std::string& path : test::filesIn(".", ".ax")) {
    fs::path name = fs::path(path).filename();
    Result result = checkFile(name);
    test::expectGolden(name.stem().string() + ".expected", result.text);
    codes.merge(result.codes);
  }
  fs::current_path(before);
  return codes;
}

TEST(Check, AcceptedProgramsGetTheirTypes) {
  const std::string warning(codes::promiseNarrowed.code);
  for (const std::string& code : compareFolder("tests/typecheck/golden"))
    EXPECT_TRUE(code[0] == 'N' || code == warning) << code;
}

TEST(Check, RefusedProgramsAreExplained) { EXPECT_FALSE(compareFolder("tests/typecheck/errors").empty()); }

// Types do not depend on the order in which bindings are used.
TEST(Check, OrderOfUsesDoesNotMatter) {
  auto typesOf = [](const std::string& text) {
    fs::path path = fs::temp_directory_path() / "axle_order.ax";
    std::ofstream(path) << text;
    return checkFile(path).text;
  };
  std::string one =
      typesOf("param w;\na = fn (x : f32 [n, 3]) { matmul(x, w) };\nb = fn (y : f32 [n, 4]) { y * w[0] };\n");
  std::string two =
      typesOf("param w;\nb = fn (y : f32 [n, 4]) { y * w[0] };\na = fn (x : f32 [n, 3]) { matmul(x, w) };\n");
  EXPECT_NE(one.find("w : f32 [3, 4]"), std::string::npos) << one;
  EXPECT_NE(two.find("w : f32 [3, 4]"), std::string::npos) << two;
}

// A copy of a table of operators parses no declaration again, and keeps the indices.
TEST(Check, CopiedOperatorsAreNotParsedAgain) {
  OperatorTable table;
  const auto index = table.find("matmul");
  ASSERT_TRUE(index);
  OperatorTable copy = table;
  EXPECT_EQ(copy.find("matmul"), index);
  EXPECT_EQ(copy[*index].decl, table[*index].decl);
}

std::string repeatedLines(int count, const std::string& before, const std::string& behind) {
  std::string text;
  for (int i = 0; i < count; ++i) text += before + std::to_string(i) + behind + "\n";
  return text;
}

// A module that is not imported gives one error however often it is used, so it does not use up the limit of errors.
TEST(Check, MissingImportsHideNoOtherError) {
  const fs::path path = fs::temp_directory_path() / "axle_imports.ax";
  std::ofstream(path) << repeatedLines(150, "f", " = fn (x : f32 [3]) { nn.relu(x) };") + "g = fn (x) { foo(x) };\n";
  const std::string text = checkFile(path).text;
  EXPECT_NE(text.find("`nn` is not imported"), std::string::npos);
  EXPECT_NE(text.find("unknown name `foo`"), std::string::npos) << text;
  EXPECT_EQ(text.find("left out"), std::string::npos) << text;
}

// Help for an error past the limit is not given to the last one that is reported.
TEST(Check, ErrorsPastTheLimitGetNoHelp) {
  const fs::path path = fs::temp_directory_path() / "axle_limit.ax";
  std::ofstream(path) << repeatedLines(100, "f", " = fn (x : f32 [3]) { unknown };") +
                             "g = fn (x : f32 [8]) { reshape(x, (-1, 4)) };\n";
  const std::string text = checkFile(path).text;
  EXPECT_NE(text.find("1 more error"), std::string::npos);
  EXPECT_EQ(text.find("in brackets"), std::string::npos);
}

}  // namespace
}  // namespace axle
