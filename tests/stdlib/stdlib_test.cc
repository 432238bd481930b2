// Compares operators of core.ax and functions of the modules with NumPy's results. make_goldens.py writes the programs
// (AREA.ax) and the tensors (AREA.txt). Every entry is compiled with and without constant folding.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "driver/check_program.h"
#include "driver/compile.h"
#include "frontend/modules.h"
#include "runtime/session.h"
#include "tests/runtime/golden_file.h"

namespace axle {
namespace {

using runtime::test::Golden;

std::vector<std::string> areas() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator("tests/stdlib"))
    if (file.path().extension() == ".ax") names.push_back(file.path().stem().string());
  return names;
}

class Area {
 public:
  explicit Area(const std::string& name)
      : checked_(driver::checkFile("tests/stdlib/" + name + ".ax", {}, {}, false, sources_, modules_, diagnostics_)) {}

  std::string errors() const {
    std::string text;
    for (const Diagnostic& d : diagnostics_) text += render(d, sources_);
    return text;
  }

  std::optional<TensorBytes> compile(const std::string& name, bool folded) {
    driver::CompileOptions options;
    options.entry = name;
    options.optimise = folded ? 1 : 0;
    driver::Compilation compilation(options, {*checked_, sources_, {}});
    auto bundle = compilation.bundle();
    EXPECT_EQ(compilation.bug(), "") << name;
    diagnostics_.insert(diagnostics_.end(), compilation.diagnostics().begin(), compilation.diagnostics().end());
    return bundle ? std::optional(bundle->inMemory()) : std::nullopt;
  }

 private:
  SourceMap sources_;
  Diagnostics diagnostics_;
  Modules modules_;
  CheckedPtr checked_;
};

void compare(const Golden& golden, const TensorBytes& bundle) {
  auto session = runtime::Session::fromMemory(bundle.bytes, bundle.owner);
  ASSERT_TRUE(session) << golden.name << ": " << session.error().text();
  ASSERT_EQ(session->inputs().size(), golden.inputs.size()) << golden.name;
  std::vector<runtime::NamedTensor> inputs;
  for (std::size_t i = 0; i < golden.inputs.size(); ++i)
    inputs.push_back({session->inputs()[i].name, golden.inputs[i].view()});
  auto bound = session->bind(inputs);
  ASSERT_TRUE(bound) << golden.name << ": " << bound.error().text();
  auto ran = session->run();
  ASSERT_TRUE(ran) << golden.name << ": " << ran.error().text();
  ASSERT_EQ(session->outputs().size(), golden.outputs.size()) << golden.name;
  for (std::size_t i = 0; i < golden.outputs.size(); ++i)
    EXPECT_EQ(differences(session->output(i), golden.outputs[i], golden), "") << golden.name << ", output " << i;
}

TEST(Stdlib, MatchesNumPy) {
  for (const std::string& name : areas()) {
    Area area(name);
    ASSERT_EQ(area.errors(), "") << name;
    std::vector<Golden> goldens = runtime::test::readGoldens("tests/stdlib/" + name + ".txt");
    EXPECT_FALSE(goldens.empty()) << name;
    for (const Golden& golden : goldens)
      for (bool folded : {true, false}) {
        auto bundle = area.compile(golden.name, folded);
        ASSERT_TRUE(bundle) << name << ", " << golden.name << ": " << area.errors();
        compare(golden, *bundle);
      }
  }
}

std::string textOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Stdlib, EveryModuleFunctionHasADocAndACase) {
  std::string tried;
  for (const std::string& name : areas()) tried += textOf("tests/stdlib/" + name + ".ax");
  std::size_t functions = 0;
  for (std::string_view name : stdlibModuleNames()) {
    SourceMap sources;
    Diagnostics diagnostics;
    std::string module(name);
    Modules modules = loadModules(sources, "stdlib/" + module + ".ax", {}, diagnostics);
    ASSERT_FALSE(modules.modules.empty()) << module;
    const ast::Module& root = modules.root();
    for (const ast::Item& item : root.items) {
      const auto* index = std::get_if<std::uint32_t>(&item);
      if (!index) continue;
      const ast::Binding& binding = root.bindings[*index];
      const auto* defined = std::get_if<ast::PatternName>(&root[binding.pattern].node);
      ASSERT_NE(defined, nullptr) << module;
      EXPECT_NE(binding.doc, "") << module << "." << defined->name;
      EXPECT_NE(tried.find(module + "." + defined->name + "("), std::string::npos) << module << "." << defined->name;
      ++functions;
    }
  }
  EXPECT_GT(functions, 50u);
}

}  // namespace
}  // namespace axle
