// Checks that the analysis of well-formed but wrong graphs always ends with facts or diagnostics, within its limits.
// AXLE_MUTANTS=N sets the number of mutants of each graph.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/reader/read.h"
#include "tests/frontend/golden.h"
#include "tests/import/mutants.h"
#include "tests/import/shared.h"
#include "tests/io/scratch.h"
#include "tests/sanitized.h"

namespace axle::test {
namespace {

namespace fs = std::filesystem;
namespace wire = tensorflow::wire;

constexpr double mostSeconds = isSanitized ? 60 : 10;  // of processor time, for one small graph
constexpr std::uintmax_t small = 30'000;               // bytes

int mutantsOfEach(int otherwise) {
  const char* asked = std::getenv("AXLE_MUTANTS");
  return asked ? std::atoi(asked) : otherwise;
}

struct Outcome {
  bool typed = false;  // without an error
  bool read = false;
};

Outcome analyse(const std::string& path) {
  SourceMap sources;
  Diagnostics diagnostics;
  Outcome outcome;
  auto model = tensorflow::readModel(path, {}, sources, diagnostics);
  outcome.read = model.has_value();
  if (model) {
    tensorflow::Analysis analysis(*model, sources, diagnostics);
    run(analysis);
    for (const auto& line : factLines(analysis))
      EXPECT_EQ(line.shape.find("undefined"), std::string::npos) << line.node;
    for (const auto& guard : analysis.guards) EXPECT_FALSE(guard.text.empty());
  }
  for (const Diagnostic& d : diagnostics) {
    EXPECT_FALSE(render(d, sources).empty());
    EXPECT_FALSE(renderJson(d, sources).empty());
    EXPECT_EQ(d.message.find("undefined"), std::string::npos) << d.message;
  }
  outcome.typed = !hasErrors(diagnostics);
  return outcome;
}

class Mutants {
 public:
  void of(const wire::GraphDef& graph, int times, const std::string& name) {
    for (int i = 0; i < times && !::testing::Test::HasFailure(); ++i, ++count_) {
      SCOPED_TRACE(name + ", mutant " + std::to_string(i));
      wire::GraphDef wrong = mutant(graph, random_);
      writeText(scratch_.file("g.pb"), wrong.SerializeAsString());
      std::clock_t begin = std::clock();
      Outcome outcome;
      EXPECT_NO_THROW(outcome = analyse(scratch_.file("g.pb")));
      double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      if (seconds > slowest_) slowest_ = seconds, slowestName_ = name;
      EXPECT_LT(seconds, mostSeconds);
      if (::testing::Test::HasFailure()) std::printf("%s\n", wrong.DebugString().c_str());
      read_ += outcome.read;
      typed_ += outcome.typed;
    }
  }

  ~Mutants() {
    std::printf("%zu mutants, %zu read, %zu typed; %.2f s for the slowest, of %s\n", count_, read_, typed_, slowest_,
                slowestName_.c_str());
  }
  std::size_t count() const { return count_; }
  std::size_t refusedWhenTyped() const { return read_ - std::min(read_, typed_); }

 private:
  std::mt19937 random_{5};
  ScratchFolder scratch_;
  std::size_t count_ = 0, read_ = 0, typed_ = 0;
  double slowest_ = 0;
  std::string slowestName_;
};

TEST(Mutants, GoldenGraphsEndWithFactsOrDiagnostics) {
  Mutants mutants;
  for (const char* folder : {"fit", "misfit"})
    for (const std::string& path : filesIn("tests/import/analysis/" + std::string(folder), ".pbtxt")) {
      wire::GraphDef graph;
      google::protobuf::TextFormat::Parser parser;
      parser.AllowUnknownField(true);
      ASSERT_TRUE(parser.ParseFromString(readFile(path), &graph)) << path;
      mutants.of(graph, mutantsOfEach(6), path);
    }
  EXPECT_GT(mutants.refusedWhenTyped(), mutants.count() / 20);  // otherwise nothing was wrong
}

// Runs mutants of the small graphs of the conformance folder, if the machine has it.
TEST(Mutants, SharedGraphsEndWithFactsOrDiagnostics) {
  const fs::path root = conformance() / "tensorflow";
  if (!fs::is_directory(root)) GTEST_SKIP() << "SKIPPED: there is no " << root;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.path().extension() == ".pb" && entry.file_size() < small) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  Mutants mutants;
  std::size_t some = 0;
  for (const fs::path& path : paths) {
    wire::GraphDef graph;
    if (!graph.ParseFromString(readFile(path.string())) || graph.node_size() == 0) continue;
    if (some++ % 4 == 0 || std::getenv("AXLE_MUTANTS")) mutants.of(graph, mutantsOfEach(2), path.string());
  }
  EXPECT_GT(mutants.count(), 100U);
  struct rusage used{};
  getrusage(RUSAGE_SELF, &used);
  std::printf("%ld MiB at most\n", used.ru_maxrss / 1024);
}

}  // namespace
}  // namespace axle::test
