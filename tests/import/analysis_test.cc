// Compares the analysis of each graph with its golden.
#include <gtest/gtest.h>

#include <filesystem>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/reader/read.h"
#include "tests/frontend/golden.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

struct Said {
  std::string text;
  bool refused = false;
};

Said analyse(const std::string& path) {
  SourceMap sources;
  Diagnostics diagnostics;
  Said said;
  auto model = tensorflow::readModel(path, {}, sources, diagnostics);
  if (model) {
    model->path = fs::path(path).filename().string();
    std::optional<tensorflow::Analysis> its;
    tensorflow::analyse(its, *model, sources, diagnostics, {});
    tensorflow::Analysis& analysis = *its;
    for (const auto& line : factLines(analysis))
      said.text += line.node + ":" + std::to_string(line.port) + "  " + line.elem + "  " + line.shape +
                   (line.value.empty() ? "" : "  = " + line.value) + "\n";
    for (const auto& guard : analysis.guards) {
      said.text += "guard: " + guard.text + "\n";
      for (const Label& place : guard.sources) said.text += "  " + renderJson(place, sources) + "\n";
    }
    for (const auto& [op, count] : analysis.unknownOperators)
      said.text += "no rule: " + op + " (" + std::to_string(count) + ")\n";
  }
  for (const Diagnostic& d : diagnostics) said.text += "\n" + render(d, sources);
  said.refused = hasErrors(diagnostics);
  return said;
}

class Analysed : public testing::TestWithParam<std::string> {};

TEST_P(Analysed, MatchesItsGolden) {
  const std::string& path = GetParam();
  Said said = analyse(path);
  EXPECT_EQ(said.refused, fs::path(path).parent_path().filename() == "misfit") << said.text;
  test::expectGolden(fs::path(path).replace_extension(".txt").string(), said.text);
}

std::vector<std::string> cases() {
  std::string folder = "tests/import/analysis/";
  std::vector<std::string> all = test::filesIn(folder + "fit", ".pbtxt");
  for (std::string& path : test::filesIn(folder + "misfit", ".pbtxt")) all.push_back(std::move(path));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Graphs, Analysed, testing::ValuesIn(cases()), [](const auto& info) {
  fs::path path = info.param;
  return path.parent_path().filename().string() + "_" + path.stem().string();
});

}  // namespace
}  // namespace axle
