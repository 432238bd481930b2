// Checks that each graph of the conformance folder (shared.h), if the machine has it, is read, or refused with a
// diagnostic if its case allows that.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "tests/frontend/golden.h"
#include "tests/import/damage.h"
#include "tests/import/graphs.h"
#include "tests/import/shared.h"
#include "tests/io/scratch.h"

namespace axle::test {
namespace {

namespace fs = std::filesystem;

// Returns the SavedModel folders, prefixes of meta graphs, and graph files.
std::set<fs::path> graphsIn(const fs::path& root) {
  std::set<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const fs::path& path = entry.path();
    const std::string name = path.filename().string();
    if (name.starts_with("saved_model.pb"))
      found.insert(path.parent_path());
    else if (name.ends_with(".meta"))
      found.insert(path.parent_path() / path.stem());
    else if ((name.ends_with(".pb") || name.ends_with(".pbtxt") || name.ends_with(".pb.txt")) &&
             name != "fingerprint.pb" && name != "keras_metadata.pb")
      found.insert(path);
  }
  return found;
}

// Returns what the case beside a graph says about it.
std::string about(const fs::path& graph) {
  const fs::path folder = fs::is_directory(graph) ? graph : graph.parent_path();
  return fs::exists(folder / "case.json") ? readFile((folder / "case.json").string()) : std::string();
}

TEST(Shared, EveryGraphIsReadOrRefusedWithADiagnostic) {
  if (!fs::is_directory(conformance())) GTEST_SKIP() << "SKIPPED: there is no " << conformance();
  std::size_t read = 0, refused = 0, nodes = 0;
  for (const char* suite : {"tensorflow", "shape-bugs"}) {
    for (const fs::path& graph : graphsIn(conformance() / suite)) {
      const std::string said = about(graph);
      tensorflow::Choice choice;
      if (said.find("\"train\"") == said.npos && said.find("\"gpu\"") != said.npos) choice.tags = {"gpu"};
      const Read found = readPath(graph.string(), choice);
      if (!found.model) {
        const bool may = said.find("must fail cleanly") != said.npos ||
                         said.find("unsupported-op diagnostics") != said.npos ||
                         found.diagnostics.find("E0903") != found.diagnostics.npos;
        EXPECT_TRUE(may) << graph << "\n" << found.diagnostics;
        ++refused;
        continue;
      }
      ++read;
      nodes += found.model->main.nodes.size();
      for (const tensorflow::Variable& variable : found.model->variables) {
        if (!variable.read) continue;
        auto value = variable.read();
        EXPECT_TRUE(value) << graph << ": " << (value ? "" : describe(value.error()));
      }
    }
  }
  std::printf("%zu graphs read (%zu nodes of main graphs), %zu refused\n", read, nodes, refused);
  EXPECT_GT(read, 1000U);
}

// Damages each of the small graphs a few times.
TEST(Shared, DamagedGraphsGiveAModelOrADiagnostic) {
  if (!fs::is_directory(conformance())) GTEST_SKIP() << "SKIPPED: there is no " << conformance();
  constexpr std::uintmax_t small = 100'000;  // bytes
  std::mt19937 random(11);
  ScratchFolder scratch;
  std::size_t mutants = 0;
  for (const fs::path& graph : graphsIn(conformance() / "tensorflow")) {
    fs::path file = fs::is_directory(graph) ? graph / "saved_model.pb" : graph;
    if (!fs::is_regular_file(file) || fs::file_size(file) > small) continue;
    const std::string whole = readFile(file.string()), ending = file.extension().string();
    for (int i = 0; i < 3 && !HasFatalFailure(); ++i, ++mutants) {
      writeText(scratch.file("g" + ending), mutant(whole, random));
      use(readPath(scratch.file("g" + ending)));
    }
  }
  std::printf("%zu mutants\n", mutants);
  EXPECT_GT(mutants, 1000U);
}

}  // namespace
}  // namespace axle::test
