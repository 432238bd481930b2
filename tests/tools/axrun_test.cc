// Tests the program `axrun` as a user calls it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "io/npy.h"
#include "tests/io/scratch.h"
#include "tests/tools/small_bundle.h"

namespace axle {
namespace {

struct Ran {
  int code = -1;
  std::string out, err;
};

class Axrun : public testing::Test {
 protected:
  Axrun() {
    const std::vector<std::byte> bytes = smallBundle();
    content_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    writeText(bundle(), content_);
  }

  std::string bundle() const { return folder_.file("small.axb"); }

  Ran axrun(const std::string& words) const {
    const std::string out = folder_.file("stdout"), err = folder_.file("stderr");
    const int status = std::system((AXRUN_COMMAND " " + words + " >" + out + " 2>" + err + " </dev/null").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status, readText(out), readText(err)};
  }

  ScratchFolder folder_;
  std::string content_;
};

TEST_F(Axrun, VersionAndHelp) {
  Ran ran = axrun("--version");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "axrun " AXLE_VERSION "\n");
  for (const std::string words : {"--help", "run --help", "info --help", "bench --help"}) {
    ran = axrun(words);
    EXPECT_EQ(ran.code, 0) << words;
    EXPECT_NE(ran.out.find("Usage: axrun"), std::string::npos) << ran.out;
    EXPECT_EQ(ran.err, "");
  }
}

TEST_F(Axrun, WrongCommandLines) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "a command is needed"},
      {"fly", "unknown command `fly`"},
      {"run", "`axrun run` needs a BUNDLE"},
      {"info --format=json", "`axrun info` needs a BUNDLE"},
      {"run a b", "one bundle at a time: `a`, and then `b`"},
      {"run a --colour", "unknown option `--colour`"},
      {"run a -q", "unknown option `-q`"},
      {"info a --seed 3", "unknown option `--seed`"},
      {"run a --seed", "--seed needs a value: N"},
      {"run a -o", "-o needs a value: DIR"},
      {"run a -o ''", "-o takes a folder"},
      {"run a --seed 3 --seed=4", "--seed may be given once"},
      {"run a --rtol much", "--rtol takes a number of 0 or more, not much"},
      {"run a --rtol nan", "--rtol takes a number of 0 or more, not nan"},
      {"run a --atol=-1", "--atol takes a number of 0 or more, not -1"},
      {"run a --seed -1", "--seed takes a whole number of 0 or more, not -1"},
      {"run a --seed 18446744073709551616",
       "--seed takes a whole number of at most 18446744073709551615, not 18446744073709551616"},
      {"run a --repeat 0", "--repeat takes a whole number of 1 or more, not 0"},
      {"run a --warmup 1.5", "--warmup takes a whole number of 0 or more, not 1.5"},
      {"run a --threads 0", "--threads takes a whole number of 1 or more, not 0"},
      {"run a --threads=-1", "--threads takes a whole number of 1 or more, not -1"},
      {"run a --profile=times", "--profile takes a FILE.json, or nothing, not times"},
      {"bench", "`axrun bench` needs a BUNDLE"},
      {"bench a --repeat 2", "unknown option `--repeat`"},
      {"run a --format=xml", "--format takes text or json, not xml"},
      {"info a --format xml", "--format takes text or json, not xml"},
  };
  for (const auto& [words, what] : cases) {
    const Ran ran = axrun(words);
    EXPECT_EQ(ran.code, 2) << words;
    EXPECT_EQ(ran.out, "") << words;
    EXPECT_EQ(ran.err.substr(0, ran.err.find('\n')), std::string("error: ") + what) << words;
  }
}

TEST_F(Axrun, OptionsMayStandAnywhere) {
  const std::string out = "out.1 : i64 []\n  ";
  for (const std::string words :
       {"--output out.1 --set n=2 --seed 3 BUNDLE", "BUNDLE --output=out.1 --set=n=2 --seed=3",
        "--output out.1 --set n=2 --seed 3 -- BUNDLE"}) {
    std::string replaced = words;
    replaced.replace(replaced.find("BUNDLE"), 6, bundle());
    const Ran ran = axrun("run " + replaced);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out.substr(0, out.size()), out);
  }
}

TEST_F(Axrun, OptionsMayHaveTheirValueInOneWord) {
  const Ran apart = axrun("run " + bundle() + " --set n=2 --seed 3 --output out.0");
  const Ran joined = axrun("run --set=n=2 --seed=3 --output=out.0 -- " + bundle());
  EXPECT_EQ(joined.code, 0) << joined.err;
  EXPECT_EQ(joined.out, apart.out);
  EXPECT_EQ(axrun("run " + bundle() + " --set n=2 -o" + folder_.file("results")).code, 0);
  EXPECT_FALSE(readText(folder_.file("results/out.0.npy")).empty());
  EXPECT_EQ(axrun("run -- --seed").err.find("unknown option"), std::string::npos);
}

TEST_F(Axrun, RunsOnFiles) {
  const std::vector<float> x{0, 1, 2, 3, 4, 5};
  const std::vector<std::int64_t> d{4};
  ASSERT_TRUE(writeNpy(folder_.file("x.npy"), Elem::f32, std::vector<std::uint64_t>{2, 3}, bytesOf(x)));
  ASSERT_TRUE(writeNpy(folder_.file("d.npy"), Elem::i64, {}, bytesOf(d)));
  const std::string inputs = " -i x=" + folder_.file("x.npy") + " -i d=" + folder_.file("d.npy") + " ";
  Ran ran = axrun("run" + inputs + bundle());
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "out.0 : f32 [2, 3]\n  [[0, 2, 4],\n   [6, 8, 10]]\nout.1 : i64 []\n  1\n");
  ran = axrun("run " + bundle() + inputs + "--expect out.0=" + folder_.file("x.npy"));
  EXPECT_EQ(ran.code, 3);
  EXPECT_NE(ran.out.find("out.0: largest error 5"), std::string::npos) << ran.out;
  EXPECT_NE(ran.err.find("expectation not met"), std::string::npos) << ran.err;
}

TEST_F(Axrun, DrawnInputsAreTheSameOnEveryMachine) {
  const Ran ran = axrun("run " + bundle() + " --set n=2 --seed 3 --output out.0");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "out.0 : f32 [2, 3]\n  [[-1.4174507, 1.787673, -0.6200559],\n   [-1.3653045, 0.24739313, -0.7003434]]\n");
}

TEST_F(Axrun, InfoListsTheContents) {
  const Ran ran = axrun("info " + bundle() + " --set n=4");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, bundle() + R"(
  entry      main : (f32 [n, 3], i64 []) -> (f32 [n, 3], i64 [])
  producer   a test
  input      x : f32 [n, 3]
  input      d : i64 []
  output     out.0 : f32 [n, 3]
  output     out.1 : i64 []
  symbol     n
  size       n = 4
  guard      n >= 2  (asked for by `where`)
               at model.ax:3:8
  operator   ADD x 1
  operator   DIV x 1
  bundle     520 bytes
  weights    8 bytes
  arena      128 bytes
  calls      2
  MACs       0
)");
}

TEST_F(Axrun, InfoWithoutSizesNamesOpenSizes) {
  const Ran ran = axrun("info " + bundle());
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("arena      depends on n (--set NAME=SIZE gives a size)\n"), std::string::npos) << ran.out;
  EXPECT_EQ(axrun("info " + bundle() + " --set m=4").code, 2);
  EXPECT_EQ(axrun("info " + bundle() + " --set n=1").code, 3);
}

TEST_F(Axrun, InfoOfOpenRanks) {
  const std::vector<std::byte> bytes = runtime::test::openRanks().bundle();
  const std::string path = folder_.file("open.axb");
  writeText(path, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  Ran ran = axrun("info " + path);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out.substr(ran.out.find("  entry")), R"(  entry      main : (f32 s @ [n]) -> f32 s @ [n]
  producer   a test
  input      x : f32 s @ [n]
  output     out : f32 s @ [n]
  ranks      x : 1 to 2
  symbol     n
  operator   ADD x 1
  operator   MUL x 0 to 1
  bundle     )" + std::to_string(bytes.size()) + R"( bytes
  weights    4 bytes
  arena      depends on the ranks, n (--set NAME=SIZE gives a size)
  calls      depends on the ranks, n (--set NAME=SIZE gives a size)
  MACs       depends on the ranks, n (--set NAME=SIZE gives a size)
)");
  ran = axrun("info " + path + " --format=json");
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << ran.out;
  EXPECT_EQ(json["ranks"], nlohmann::json::parse(R"([{"x": 1}, {"x": 2}])"));
  EXPECT_EQ(json["inputs"][0]["sizes"], nullptr);
  ran = axrun("info " + path + " --set n=2 --set s0=3");
  EXPECT_NE(ran.out.find("  input      x : f32 [s0, n]\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("  operator   MUL x 1\n"), std::string::npos) << ran.out;
}

TEST_F(Axrun, InfoAsJson) {
  const Ran ran = axrun("info " + bundle() + " --format=json");
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << ran.out;
  EXPECT_EQ(json["inputs"][0],
            nlohmann::json::parse(R"({"name": "x", "elem": "f32", "type": "f32 [n, 3]", "sizes": [null, 3]})"));
  EXPECT_EQ(json["symbols"], nlohmann::json::parse(R"(["n"])"));
  EXPECT_EQ(json["guards"][0]["text"], "n >= 2");
  EXPECT_EQ(json["arena_bytes"], nullptr);
  EXPECT_EQ(json["bundle_bytes"], content_.size());
}

TEST_F(Axrun, DamagedBundles) {
  const Ran missing = axrun("run " + folder_.file("nothing.axb"));
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("error"), std::string::npos);
  EXPECT_NE(missing.err.find("nothing.axb"), std::string::npos);
  const std::size_t places[] = {0, 5, 20, 40, 130, content_.size() - 1};
  for (const std::size_t at : places) {
    std::string flipped = content_;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    writeText(folder_.file("flipped.axb"), flipped);
    const Ran ran = axrun("info " + folder_.file("flipped.axb"));
    EXPECT_EQ(ran.code, 1) << at;
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find("error"), std::string::npos);
    writeText(folder_.file("cut.axb"), content_.substr(0, at));
    EXPECT_EQ(axrun("info " + folder_.file("cut.axb")).code, 1) << at;
  }
}

}  // namespace
}  // namespace axle
