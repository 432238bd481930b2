// Checks that the names suggested for names of other libraries exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "frontend/modules.h"
#include "typecheck/infer/foreign_names.h"

namespace axle {
namespace {

// Returns the names of the core operators and of the library's functions, such as `nn.dense`.
std::set<std::string> namesHere() {
  std::set<std::string> names;
  for (const CoreOp& op : coreOps()) names.emplace(op.name);
  for (std::string_view name : stdlibModuleNames()) {
    SourceMap sources;
    Diagnostics diagnostics;
    const Modules modules = loadStdlibModule(sources, std::string(name), diagnostics);
    const ast::Module& module = modules.root();
    for (const ast::Binding& binding : module.bindings)
      if (const auto* bound = std::get_if<ast::PatternName>(&module[binding.pattern].node))
        names.insert(std::string(name) + "." + bound->name);
  }
  return names;
}

std::string_view declaration(std::string_view op) {
  auto found = std::find_if(coreOps().begin(), coreOps().end(), [&](const CoreOp& row) { return row.name == op; });
  return found == coreOps().end() ? std::string_view() : found->text;
}

void expectHere(std::span<const ForeignName> rows, const std::set<std::string>& here) {
  for (const ForeignName& row : rows) {
    if (row.ours.empty()) {
      EXPECT_FALSE(row.help.text().empty()) << row.theirs;
      continue;
    }
    EXPECT_TRUE(here.count(std::string(row.ours))) << row.theirs << " -> " << row.ours;
    const std::string_view call = row.call;
    if (std::size_t open = call.find('('); open != call.npos && open > 0) {
      EXPECT_EQ(call.substr(0, open), row.ours) << row.theirs;
    }
    for (std::size_t equals = call.find("="); equals != call.npos; equals = call.find("=", equals + 1)) {
      const std::size_t begin = call.rfind(' ', equals) + 1;
      const bool isOperator = call[equals + 1] == '=' || std::string_view("=!<>").find(call[equals - 1]) != call.npos;
      if (isOperator) continue;
      const std::string attribute = std::string(call.substr(begin, equals - begin)) + " :";
      EXPECT_NE(declaration(row.ours).find(attribute), std::string_view::npos) << row.theirs << ": " << attribute;
    }
  }
}

TEST(ForeignNames, SuggestedNamesExist) {
  const std::set<std::string> here = namesHere();
  expectHere(foreignNames(), here);
  expectHere(foreignUses(), here);
}

TEST(ForeignNames, AreNotNamesOfTheLanguage) {
  for (const ForeignName& row : foreignNames()) {
    EXPECT_TRUE(declaration(row.theirs).empty()) << row.theirs;
    EXPECT_EQ(foreignName("their.library." + std::string(row.theirs)), &row) << "twice, or not in lower case";
  }
  for (const ForeignName& row : foreignUses()) EXPECT_FALSE(declaration(row.theirs).empty()) << row.theirs;
}

TEST(ForeignNames, AreFoundInAnySpelling) {
  for (const char* name : {"max_pool2d", "nn.MaxPool2d", "F.max_pool2d", "maxpool2d"}) {
    const ForeignName* row = foreignName(name);
    ASSERT_NE(row, nullptr) << name;
    EXPECT_EQ(row->ours, "max_pool");
  }
}

}  // namespace
}  // namespace axle
