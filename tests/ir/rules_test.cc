// Compares the programs in rules/ with their goldens: the graphs before and after the passes, and the patches in
// between.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "backend/evaluate.h"
#include "driver/compile.h"
#include "ir/dump.h"
#include "ir/passes/match.h"
#include "tests/frontend/golden.h"

namespace axle {
namespace {

// Returns the graph before, how many times each rule applied, and the graph after.
std::string rewrite(const std::string& path, std::set<std::string>& applied) {
  driver::CompileOptions options;
  options.path = path;
  options.offersFixes = false;
  driver::Compilation compilation(options);
  const bool isLowered = compilation.reach(driver::Stage::lower);
  std::string out;
  for (const Diagnostic& diagnostic : compilation.diagnostics()) out += render(diagnostic, compilation.sources());
  EXPECT_TRUE(isLowered) << path << "\n" << out;
  if (!isLowered) return out;
  ir::PassContext context{runtimeEvaluator({})};
  const SourceMap noPlaces;
  EXPECT_TRUE(ir::runPasses(compilation.model(), context, "prune-folded"));
  out = ir::dumpText(compilation.model(), noPlaces);
  std::map<std::string, int> counts;
  context.admit = [&](const ir::Patch& patch) { return ++counts[patch.what] > 0; };
  auto done = ir::runPasses(compilation.model(), context);
  EXPECT_TRUE(done) << path << "\n" << (done ? "" : done.error());
  EXPECT_EQ(ir::verify(compilation.model()), std::nullopt);
  out += "\n";
  for (const auto& [what, count] : counts) {
    applied.insert(what);
    out += what + (count > 1 ? ", " + std::to_string(count) + " times\n" : "\n");
  }
  return out + "\n" + ir::dumpText(compilation.model(), noPlaces);
}

TEST(Rules, Goldens) {
  test::InFolder here("tests/ir/rules");
  std::set<std::string> applied;
  for (const std::string& path : test::filesIn(".", ".ax")) {
    const std::string name = std::filesystem::path(path).stem().string();
    test::expectGolden(name + ".expected", rewrite(name + ".ax", applied));
  }
  for (const ir::Pass& pass : ir::passTable()) {
    if (!pass.rules) continue;
    for (const ir::Rule& rule : pass.rules())
      EXPECT_TRUE(applied.contains(std::string(rule.name))) << "no program for " << rule.name;
  }
}

}  // namespace
}  // namespace axle
