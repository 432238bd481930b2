// Compares the grammar with the language's definition, and generated tables with the files they come from.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "frontend/keywords.h"
#include "frontend/modules.h"
#include "frontend/parser.h"
#include "tests/frontend/dump.h"
#include "tests/frontend/golden.h"

namespace axle {
namespace {

TEST(Language, Keywords) {
  // docs: the list of keywords in the language's definition, section 2.
  const std::set<std::string> expected = {"fn",  "if", "else", "match", "where", "import", "param", "op",
                                          "and", "or", "not",  "true",  "false", "inf",    "nan",   "lowest"};
  std::string grammar = test::readFile("grammar/AxLexer.g4");
  std::set<std::string> found;
  const std::regex rule(R"(\n([A-Z_]+)\s*:\s*'([a-z]+)';)");
  for (std::sregex_iterator at(grammar.begin(), grammar.end(), rule), end; at != end; ++at) found.insert((*at)[2]);
  EXPECT_EQ(found, expected);
}

TEST(Language, KeywordsAreNotNames) {
  for (const char* keyword : {"fn", "if", "else", "match", "where", "import", "param", "op", "and", "or", "not", "true",
                              "false", "inf", "nan", "lowest"}) {
    SourceMap sources;
    Diagnostics diagnostics;
    parseModule(sources, sources.add("k.ax", std::string(keyword) + " = 3;"), "k", diagnostics);
    EXPECT_EQ(diagnostics.size(), 1u) << keyword;
  }
}

TEST(Language, NamesWithinLongerNamesAreOthers) {
  for (const char* text : {"b", "(a, b) = f(x)", "b_1 + b", "f(b)"}) EXPECT_TRUE(containsName(text, "b")) << text;
  for (const char* text : {"", "batch", "b_1", "rgb", "b'", "layer.b", "ab + ba"})
    EXPECT_FALSE(containsName(text, "b")) << text;
}

TEST(Stdlib, ModulesAreTheFiles) {
  std::vector<std::string> names;
  for (const std::string& path : test::filesIn("stdlib", ".ax")) {
    std::string name = path.substr(7, path.size() - 10);
    if (name == "core") continue;
    names.push_back(name);
    EXPECT_EQ(stdlibModule(name), test::readFile(path)) << name;
  }
  std::vector<std::string> carried(stdlibModuleNames().begin(), stdlibModuleNames().end());
  std::sort(carried.begin(), carried.end());
  EXPECT_EQ(carried, names);
  EXPECT_TRUE(stdlibModule("core").empty());
  EXPECT_TRUE(stdlibModule("no_such_module").empty());
}

TEST(Stdlib, ParametersOfOperatorsHaveNames) {
  SourceMap sources;
  Diagnostics diagnostics;
  const SourceId source = sources.add("stdlib/core.ax", test::readFile("stdlib/core.ax"));
  const ast::Module module = parseModule(sources, source, "core", diagnostics);
  for (const ast::Item& item : module.items) {
    const auto& declared = std::get<ast::OpDecl>(item);
    std::set<std::string> names;
    for (const ast::OpAttribute& attribute : declared.attributes) names.insert(attribute.name.text);
    EXPECT_EQ(names.size(), declared.attributes.size()) << declared.name.text;
    for (const ast::OpParameter& parameter : declared.parameters) {
      EXPECT_FALSE(parameter.name.empty()) << declared.name.text;
      const bool isNew = names.insert(parameter.name).second;
      EXPECT_EQ(isNew, bool(parameter.type)) << parameter.name << " is twice in " << declared.name.text;
    }
  }
}

// Parsing each row alone gives the same declaration as parsing the whole file.
TEST(Stdlib, CoreTableIsTheFile) {
  SourceMap sources;
  Diagnostics diagnostics;
  std::string text = test::readFile("stdlib/core.ax");
  SourceId whole = sources.add("stdlib/core.ax", text);
  ast::Module module = parseModule(sources, whole, "core", diagnostics);
  ASSERT_TRUE(diagnostics.empty()) << render(diagnostics[0], sources);
  ASSERT_EQ(coreOps().size(), module.items.size());
  for (std::size_t i = 0; i < coreOps().size(); ++i) {
    const CoreOp& row = coreOps()[i];
    const ast::OpDecl& declared = std::get<ast::OpDecl>(module.items[i]);
    EXPECT_EQ(row.name, declared.name.text);
    EXPECT_EQ(row.text, std::string(sources.text(declared.span)) + ";");
    EXPECT_EQ(row.doc, declared.doc);
    EXPECT_EQ(row.line, sources.position(whole, declared.span.begin).line);
    ast::Module alone = parseModule(sources, sources.add("row", std::string(row.text)), "row", diagnostics);
    ASSERT_EQ(alone.items.size(), 1u) << row.text;
  }
  EXPECT_TRUE(diagnostics.empty());
}

TEST(Modules, OrderAndMeanings) {
  SourceMap sources;
  Diagnostics diagnostics;
  Modules modules = loadModules(sources, "tests/frontend/modules/main.ax",
                                {{"tests/frontend/modules/library", "tests/frontend/modules"}, {}}, diagnostics);
  ASSERT_TRUE(diagnostics.empty()) << render(diagnostics[0], sources);
  std::vector<std::string> names;
  for (const ast::Module& module : modules.modules) names.push_back(module.name);
  // Each file once, every module after its imports, the root last.
  EXPECT_EQ(names, (std::vector<std::string>{"shared", "left", "right", "nn", "main"}));
  EXPECT_EQ(modules.root().name, "main");
  EXPECT_EQ(modules.imports.back(), (std::map<std::string, std::size_t>{{"left", 1}, {"right", 2}, {"nn", 3}}));
  EXPECT_EQ(modules.imports[1], (std::map<std::string, std::size_t>{{"shared", 0}}));
  EXPECT_EQ(modules.imports[2], (std::map<std::string, std::size_t>{{"shared", 0}}));
  EXPECT_EQ(sources.path(modules.modules[3].source), "stdlib/nn.ax");
}

TEST(Modules, UnsavedTextsReplaceFiles) {
  SourceMap sources;
  Diagnostics diagnostics;
  LoadOptions options;
  options.texts[fileIdentity("tests/frontend/modules/nowhere.ax")] = "import left;\nimport fresh;\n";
  options.texts[fileIdentity("tests/frontend/modules/fresh.ax")] = "one = 1f;\n";
  options.texts[fileIdentity("tests/frontend/../frontend/modules/left.ax")] = "two = 2f;\n";
  Modules modules = loadModules(sources, "tests/frontend/modules/nowhere.ax", options, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  ASSERT_EQ(modules.modules.size(), 3u);
  EXPECT_EQ(sources.text(modules.modules[0].source), "two = 2f;\n");
}

TEST(Modules, UnreadableRootGivesNone) {
  SourceMap sources;
  Diagnostics diagnostics;
  EXPECT_TRUE(loadModules(sources, "tests/frontend/no_such_file.ax", {}, diagnostics).modules.empty());
  EXPECT_TRUE(hasErrors(diagnostics));
}

}  // namespace
}  // namespace axle
