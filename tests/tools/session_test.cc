// Tests the command `run` on a small bundle, in process.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "driver/run/run.h"
#include "io/npy.h"
#include "tests/io/scratch.h"
#include "tests/tools/small_bundle.h"

namespace axle::run {
namespace {

struct Ran {
  int code = -1;
  std::string out, err;
};

class Captured {
 public:
  Captured() : file_(::open_memstream(&text_, &size_)) {}
  ~Captured() {
    std::fclose(file_);
    std::free(text_);
  }
  Captured(const Captured&) = delete;
  std::FILE* file() const { return file_; }
  std::string text() const {
    std::fflush(file_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

class RunSession : public testing::Test {
 protected:
  RunSession() {
    write("x", Elem::f32, {2, 3}, std::vector<float>{0, 1, 2, 3, 4, 5});
    write("d", Elem::i64, {}, std::vector<std::int64_t>{4});
  }

  template <class T>
  std::string write(const std::string& name, Elem elem, const std::vector<std::uint64_t>& shape,
                    const std::vector<T>& values) {
    const std::string path = folder_.file(name + ".npy");
    const auto wrote = writeNpy(path, elem, shape, bytesOf(values));
    EXPECT_TRUE(wrote) << describe(wrote.error());
    return path;
  }

  std::string file(const std::string& name) const { return folder_.file(name + ".npy"); }

  // Returns options with both inputs.
  RunOptions given() const {
    RunOptions options;
    options.inputs = {"x=" + file("x"), "d=" + file("d")};
    return options;
  }

  static Ran run(const RunOptions& options) {
    const std::vector<std::byte> bytes = smallBundle();
    auto session = runtime::Session::fromMemory(bytes, nullptr);
    if (!session) return {-1, {}, session.error().text()};
    const Captured out, err;
    Ran ran;
    ran.code = runSession(*session, options, out.file(), err.file());
    ran.out = out.text();
    ran.err = err.text();
    return ran;
  }

  // Expects the run to be refused with nothing on stdout and this text on stderr.
  static void expectRefused(const RunOptions& options, int code, const std::vector<std::string>& words) {
    const Ran ran = run(options);
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find("error"), std::string::npos) << ran.err;
    for (const std::string& word : words)
      EXPECT_NE(ran.err.find(word), std::string::npos) << word << " in: " << ran.err;
  }

  ScratchFolder folder_;
};

TEST_F(RunSession, PrintsTypesAndValues) {
  const Ran ran = run(given());
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "out.0 : f32 [2, 3]\n  [[0, 2, 4],\n   [6, 8, 10]]\nout.1 : i64 []\n  1\n");
  EXPECT_EQ(ran.err, "");
}

TEST_F(RunSession, ShowsOnlyRequestedOutputs) {
  RunOptions options = given();
  options.outputs = {"out.1"};
  EXPECT_EQ(run(options).out, "out.1 : i64 []\n  1\n");
  options.outputs = {"out.7"};
  expectRefused(options, 2, {"output out.7 is unknown; the entry gives out.0 : f32 [n, 3], out.1 : i64 []"});
}

TEST_F(RunSession, ComparesAcrossElementTypes) {
  write("doubled", Elem::i64, {2, 3}, std::vector<std::int64_t>{0, 2, 4, 6, 8, 10});
  write("quotient", Elem::f64, {}, std::vector<double>{1});
  RunOptions options = given();
  options.expects = {"out.0=" + file("doubled"), "out.1=" + file("quotient")};
  options.tolerance = {0, 0};
  const Ran ran = run(options);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "out.0: largest error 0 (f32 [2, 3])\nout.1: largest error 0 (i64 [])\n");
}

TEST_F(RunSession, NamesTheUnmetExpectation) {
  write("other", Elem::f32, {2, 3}, std::vector<float>{0, 2, 4, 6, 8, 11});
  RunOptions options = given();
  options.expects = {"out.0=" + file("other")};
  const Ran ran = run(options);
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.out, "out.0: largest error 1 (f32 [2, 3]), 1 of 6 beyond the tolerance: [1, 2] is 10, expected 11\n");
  EXPECT_EQ(ran.err,
            "error: expectation not met: out.0 differs from " + file("other") + " beyond rtol 0.0001, atol 1e-05\n");
  options.tolerance.relative = 0.1;
  EXPECT_EQ(run(options).code, 0);
}

TEST_F(RunSession, ShapesMustMatch) {
  write("flat", Elem::f32, {6}, std::vector<float>{0, 2, 4, 6, 8, 10});
  RunOptions options = given();
  options.expects = {"out.0=" + file("flat")};
  Ran ran = run(options);
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.out, "out.0: largest error inf, it is f32 [2, 3], expected f32 [6]\n");
  EXPECT_EQ(ran.err, "error: expectation not met: out.0 has another shape than " + file("flat") + "\n");
  options.json = true;
  ran = run(options);
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(nlohmann::json::parse(ran.out)["outputs"]["out.0"]["error"], nullptr);
}

TEST_F(RunSession, JsonIsTheWholeOutput) {
  write("other", Elem::f32, {2, 3}, std::vector<float>{0, 2, 4, 6, 8, 10.5f});
  RunOptions options = given();
  options.json = true;
  options.repeat = 3;
  options.warmup = 2;
  options.expects = {"out.0=" + file("other")};
  options.tolerance.absolute = 1;
  const Ran ran = run(options);
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << ran.out;
  EXPECT_EQ(json["outputs"], nlohmann::json::parse(R"({"out.0": {"elem": "f32", "shape": [2, 3], "error": 0.5},
                                                       "out.1": {"elem": "i64", "shape": []}})"));
  ASSERT_EQ(json["times_ms"].size(), 3u);
  for (const auto& time : json["times_ms"]) EXPECT_GE(time.get<double>(), 0);
}

TEST_F(RunSession, RepeatPrintsTimes) {
  RunOptions options = given();
  options.repeat = 10;
  options.outputs = {"out.1"};
  const Ran ran = run(options);
  EXPECT_EQ(ran.out.substr(0, ran.out.find("min")), "out.1 : i64 []\n  1\ntime: ");
  EXPECT_NE(ran.out.find(" over 10 runs\n"), std::string::npos);
}

TEST_F(RunSession, WritesOutputs) {
  RunOptions options = given();
  options.folder = folder_.file("results");
  const Ran ran = run(options);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "out.0 : f32 [2, 3], written to " + options.folder + "/out.0.npy\nout.1 : i64 [], written to " +
                         options.folder + "/out.1.npy\n");
  const auto written = readNpy(options.folder + "/out.0.npy");
  ASSERT_TRUE(written) << describe(written.error());
  EXPECT_EQ(valuesOf<float>(written->data), (std::vector<float>{0, 2, 4, 6, 8, 10}));
  options.folder = file("x");
  expectRefused(options, 2, {"x.npy: cannot make the folder: Not a directory"});
}

TEST_F(RunSession, RefusesInputsThatDoNotFit) {
  write("flat", Elem::f32, {6}, std::vector<float>(6));
  write("wide", Elem::f32, {2, 4}, std::vector<float>(8));
  write("whole", Elem::i32, {2, 3}, std::vector<std::int32_t>(6));
  write("deep", Elem::f32, std::vector<std::uint64_t>(20, 1), std::vector<float>(1));
  const auto with = [&](const std::string& name) {
    RunOptions options = given();
    options.inputs[0] = "x=" + file(name);
    return options;
  };
  expectRefused(with("flat"), 3, {"x", "f32 [6]", "f32 [n, 3]"});
  expectRefused(with("wide"), 3, {"x", "f32 [2, 4]", "f32 [n, 3]"});
  expectRefused(with("whole"), 3, {"x", "i32 [2, 3]", "f32 [n, 3]"});
  expectRefused(with("deep"), 3, {"input x: ", "a rank above 16; the type is f32 [n, 3]"});
}

TEST_F(RunSession, RejectsSizesThatViolateAGuard) {
  write("one", Elem::f32, {1, 3}, std::vector<float>(3));
  RunOptions options = given();
  options.inputs[0] = "x=" + file("one");
  expectRefused(options, 3, {"n >= 2"});
}

TEST_F(RunSession, DivisionByZeroIsReportedAsARunError) {
  write("zero", Elem::i64, {}, std::vector<std::int64_t>{0});
  RunOptions options = given();
  options.inputs[1] = "d=" + file("zero");
  options.expects = {"out.1=" + file("d")};
  expectRefused(options, 3, {"zero"});
  EXPECT_EQ(run(options).err.find("expectation"), std::string::npos);
}

TEST_F(RunSession, RefusesWrongCommandLines) {
  RunOptions options = given();
  options.inputs = {"x=" + file("x")};
  expectRefused(options, 2, {"d"});
  options = given();
  options.inputs.push_back("y=" + file("x"));
  expectRefused(options, 2, {"input y is unknown; the entry takes x : f32 [n, 3], d : i64 []"});
  options = given();
  options.inputs.push_back(options.inputs[0]);
  expectRefused(options, 2, {"input x is given twice"});
  options = given();
  options.inputs[0] = "x=" + file("nothing");
  expectRefused(options, 2, {"input x: " + file("nothing") + ": cannot open: No such file or directory"});
  options = given();
  options.inputs[0] = "x";
  expectRefused(options, 2, {"-i takes NAME=FILE, not x"});
  options = given();
  options.expects = {"out.1="};
  expectRefused(options, 2, {"--expect takes NAME=FILE, not out.1="});
  options = given();
  options.sets = {"n=2"};
  expectRefused(options, 2, {"--set n=2 is for drawn inputs"});
}

TEST_F(RunSession, RefusesDamagedFiles) {
  writeText(file("cut"), readText(file("x")).substr(0, 140));
  RunOptions options = given();
  options.inputs[0] = "x=" + file("cut");
  expectRefused(options, 1, {"input x: " + file("cut") + ": is truncated: f32 [2, 3] takes 24 bytes, the file has 12"});
}

TEST_F(RunSession, RaggedInputsAreRefusedByName) {
  RunOptions options = given();
  options.inputs[0] = "x=" + file("x") + "," + file("d");
  expectRefused(options, 3, {"input x: values and splits make a ragged tensor", "f32 [n, 3]"});
}

TEST_F(RunSession, DrawsInputsOfGivenSizes) {
  RunOptions options;
  options.sets = {"n=4"};
  options.outputs = {"out.0"};
  options.seed = 3;  // its `d` is not 0
  const Ran first = run(options), again = run(options);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, again.out);
  EXPECT_EQ(first.out.substr(0, 19), "out.0 : f32 [4, 3]\n");
  options.seed = 8;
  EXPECT_NE(run(options).out, first.out);
}

TEST_F(RunSession, DrawingNeedsEverySize) {
  RunOptions options;
  expectRefused(options, 2, {"n", "--set NAME=SIZE"});
  options.sets = {"n=4", "m=2"};
  expectRefused(options, 2, {"m"});
  options.sets = {"n=4", "n=5"};
  expectRefused(options, 2, {"--set gives `n` two sizes: 4 and 5"});
  for (const char* word : {"n=-1", "n=", "=3", "n", "n=3x", "n=99999999999999999999"}) {
    options.sets = {word};
    expectRefused(options, 2, {std::string("--set takes NAME=SIZE with a size of 0 or more, not ") + word});
  }
  options.sets = {"n=9223372036854775807"};
  const Ran ran = run(options);
  EXPECT_TRUE(ran.code == 2 || ran.code == 3) << ran.code;
  EXPECT_NE(ran.err.find("error"), std::string::npos);
}

TEST_F(RunSession, AlignsUnalignedData) {
  // A header that ends after 129 bytes: the data after it starts at an odd address.
  std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  dictionary.append(129 - 10 - dictionary.size(), ' ');
  std::string content("\x93NUMPY\x01\x00", 8);
  content += {static_cast<char>(dictionary.size()), '\0'};
  content += dictionary;
  ASSERT_EQ(content.size() % 4, 1u);
  const std::vector<float> values{0, 1, 2, 3, 4, 5};
  content.append(reinterpret_cast<const char*>(values.data()), 24);
  writeText(file("odd"), content);
  RunOptions options = given();
  options.inputs[0] = "x=" + file("odd");
  options.outputs = {"out.0"};
  EXPECT_EQ(run(options).out, "out.0 : f32 [2, 3]\n  [[0, 2, 4],\n   [6, 8, 10]]\n");
}

TEST_F(RunSession, SaysWhenResultsCannotBeWritten) {
  const std::vector<std::byte> bytes = smallBundle();
  auto session = runtime::Session::fromMemory(bytes, nullptr);
  ASSERT_TRUE(session);
  std::FILE* full = std::fopen("/dev/full", "w");
  ASSERT_TRUE(full);
  const Captured err;
  EXPECT_EQ(runSession(*session, given(), full, err.file()), 2);
  std::fclose(full);
  EXPECT_EQ(err.text(), "error: cannot write the results: No space left on device\n");
}

}  // namespace
}  // namespace axle::run
