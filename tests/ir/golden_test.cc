// Programs in golden/ and their expected text: the dump of the graph, or the diagnostics.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "driver/compile.h"
#include "ir/dump.h"
#include "tests/frontend/golden.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

std::string compile(const std::string& path, const ir::LowerLimits& limits = {}) {
  driver::CompileOptions options;
  options.path = path;
  options.offersFixes = false;
  options.limits = limits;
  driver::Compilation compilation(options);
  const bool isCompiled = compilation.reach(driver::Stage::optimise);
  EXPECT_EQ(compilation.bug(), "") << path;
  std::string out;
  for (const Diagnostic& diagnostic : compilation.diagnostics())
    out += (out.empty() ? "" : "\n") + render(diagnostic, compilation.sources());
  return isCompiled ? out + ir::dumpText(compilation.model(), compilation.sources()) : out;
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
  test::InFolder here("tests/ir/golden");
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
      test::InFolder inner(scratch);
      found = compile(program.name + ".ax", limits);
    }
    test::expectGolden(program.name + ".expected", found);
  }
  fs::remove_all(scratch);
}

}  // namespace
}  // namespace axle
