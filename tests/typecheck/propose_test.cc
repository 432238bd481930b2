// Tries each proposed `where` clause: once it is added to the source, the fact is no longer left open.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "frontend/modules.h"
#include "typecheck/check.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

struct Program {
  const char* parameters;
  const char* body;
  std::vector<std::string> proposals;  // in the order of the facts left open; "" if there is no proposal
};

std::vector<LeftFact> leftBy(const std::string& source) {
  fs::path path = fs::temp_directory_path() / ("axle_propose_" + std::to_string(getpid()) + ".ax");
  std::ofstream(path) << source;
  SourceMap sources;
  Diagnostics diagnostics;
  Modules modules = loadModules(sources, path.string(), {}, diagnostics);
  CheckOptions options;
  options.keepProofs = true;
  CheckedPtr checked = check(modules, sources, options, diagnostics);
  for (const Diagnostic& d : diagnostics) EXPECT_NE(d.code->severity, Severity::error) << render(d, sources);
  std::vector<LeftFact> out;
  for (const FunctionFacts& facts : functionFacts(*checked)) out = facts.left;
  fs::remove(path);
  return out;
}

TEST(Propose, ProposedClausesSuffice) {
  const Program programs[] = {
      {"x : f32 [n, d]", "reshape(x, [n / 2, 2, d])", {"n % 2 == 0"}},
      {"x : f32 [n, d]", "reshape(x, [3, _])", {"(n*d) % 3 == 0"}},
      {"x : f32 [n, d], y : f32 [h]", "reshape(x, [h, _])", {"h >= 1", "(n*d) % h == 0"}},
      {"x : f32 [n, m]", "x[m:n]", {"n >= m"}},
      {"x : f32 [n]", "x[3:n-2:2]", {"n >= 5"}},
      {"x : f32 [t, d], y : f32 [k]", "x[0 : t / k * k, :]", {"k >= 1"}},
      {"x : f32 [n], y : f32 [h]", "pad(x, [[0, ceildiv(n, h)*h - n]])", {"h >= 1"}},
      {"x : f32 [n], y : f32 [m], z : f32 [max(n, m)]", "concat(x, y) + concat(z, z)", {"n == m"}},
      {"x : f32 [n, m], y : f32 [17]", "x[0:n*n - 6, :]", {"n >= 3", "n <= 3"}},
      {"x, y", "conv2d(x, y)", {"", ""}},  // its sizes have no names
  };
  for (const Program& p : programs) {
    std::string head = std::string("f = fn (") + p.parameters + ")";
    std::vector<LeftFact> left = leftBy(head + " { " + p.body + " };");
    ASSERT_EQ(left.size(), p.proposals.size()) << p.body;
    std::string clause;
    for (std::size_t i = 0; i < left.size(); ++i) {
      EXPECT_EQ(left[i].proposal ? left[i].proposal->where : "", p.proposals[i]) << p.body << ": " << left[i].text;
      if (left[i].proposal) clause += (clause.empty() ? " where " : ", ") + left[i].proposal->where;
    }
    if (clause.empty()) continue;
    EXPECT_TRUE(leftBy(head + clause + " { " + p.body + " };").empty()) << p.body << clause;
  }
}

}  // namespace
}  // namespace axle
