// Programs in golden/ and their expected text: the dump of the graph, or the diagnostics.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "backend/evaluate.h"
#include "frontend/modules.h"
#include "ir/dump.h"
#include "ir/lower/lower.h"
#include "ir/passes/pass.h"
#include "tests/frontend/golden.h"
#include "typecheck/check.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

class InFolder {
 public:
  explicit InFolder(const fs::path& path) : before_(fs::current_path()) { fs::current_path(path); }
  ~InFolder() { fs::current_path(before_); }

 private:
  fs::path before_;
};

std::string compile(const std::string& path, const ir::LowerLimits& limits = {}) {
  SourceMap sources;
  Diagnostics diagnostics;
  Modules modules = loadModules(sources, path, {}, diagnostics);
  std::string graph;
  if (!modules.modules.empty()) {
    CheckedPtr checked = check(modules, sources, {}, diagnostics);
    std::optional<Entry> entry;
    if (!hasErrors(diagnostics)) entry = prepareEntry(*checked, {}, diagnostics);
    if (entry) {
      ir::Lowered lowered = ir::lower(*checked, *entry, diagnostics, limits);
      EXPECT_EQ(lowered.bug, "") << path;
      if (lowered.model) {
        EXPECT_EQ(ir::verify(*lowered.model), std::nullopt) << path;
        EXPECT_TRUE(ir::runPasses(*lowered.model, {runtimeEvaluator({}), false})) << path;
        graph = ir::dumpText(*lowered.model, sources);
      }
    }
  }
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) out += (out.empty() ? "" : "\n") + render(diagnostic, sources);
  return out + graph;
}

// Generated programs that exceed the limits, which are small here.
constexpr ir::LowerLimits limits{.nodes = 5'000, .calls = 10'000, .depth = 100, .nesting = 10'000};
struct Generated {
  std::string name;
  std::function<std::string()> text;
};

std::string chain(int length, const std::string& body) {
  std::string text = "f0 = fn (x) { x + 1 };\n";
  for (int i = 1; i < length; ++i) {
    std::string line = body;
    for (std::size_t at; (at = line.find('#')) != std::string::npos;) line.replace(at, 1, std::to_string(i - 1));
    text += "f" + std::to_string(i) + " = fn (x) { " + line + " };\n";
  }
  return text + "main = fn (x : f32 [n]) { f" + std::to_string(length - 1) + "(x) };\n";
}

const Generated generated[] = {
    {"deep_calls", [] { return chain(150, "f#(x)"); }},
    {"doubling_calls", [] { return chain(40, "f#(f#(x))"); }},
};

TEST(Lower, Goldens) {
  InFolder here("tests/ir/golden");
  for (const std::string& path : test::filesIn(".", ".ax")) {
    std::string name = fs::path(path).stem().string();
    test::expectGolden(name + ".expected", compile(name + ".ax"));
  }
  fs::path scratch = fs::temp_directory_path() / "axle_ir_golden";
  fs::create_directories(scratch);
  for (const Generated& program : generated) {
    test::writeFile((scratch / (program.name + ".ax")).string(), program.text());
    std::string found;
    {
      InFolder inner(scratch);
      found = compile(program.name + ".ax", limits);
    }
    test::expectGolden(program.name + ".expected", found);
  }
  fs::remove_all(scratch);
}

}  // namespace
}  // namespace axle
