// Checks that reading any bytes gives a model or a diagnostic, and uses memory in proportion to the file.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <random>

#include "graph.pb.h"
#include "tests/frontend/golden.h"
#include "tests/import/damage.h"
#include "tests/import/graphs.h"
#include "tests/io/scratch.h"

namespace axle::test {
namespace {

namespace fs = std::filesystem;

void damage(const std::string& bytes, int times, const std::function<Read(const std::string&)>& read) {
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < times && !::testing::Test::HasFatalFailure(); ++i) {
    Read found = read(mutant(bytes, random));
    refused += !found.model;
    use(found);
  }
  EXPECT_GT(refused, times / 20);  // otherwise nothing was damaged
}

TEST(Damage, Graphs) {
  ScratchFolder scratch;
  for (const char* name : {"loop.pb", "while.pb"})
    damage(readFile(graphFolder + name), 1500, [&](const std::string& bytes) {
      writeText(scratch.file("g.pb"), bytes);
      return readPath(scratch.file("g.pb"));
    });
}

TEST(Damage, Texts) {
  ScratchFolder scratch;
  for (const char* name : {"dense", "functions"})
    damage(readFile("tests/tools/axc/files/graphs/" + std::string(name) + ".pbtxt"), 700,
           [&](const std::string& bytes) {
             writeText(scratch.file("g.pbtxt"), bytes);
             return readPath(scratch.file("g.pbtxt"));
           });
}

TEST(Damage, SavedModels) {
  for (const char* name : {"counter", "slices"}) {
    ScratchFolder scratch;
    fs::copy(graphFolder + name, scratch.file("m"), fs::copy_options::recursive);
    for (const char* file :
         {"saved_model.pb", "variables/variables.index", "variables/variables.data-00000-of-00001"}) {
      const std::string path = scratch.file("m/" + std::string(file)), whole = readFile(path);
      fs::permissions(path, fs::perms::owner_all);
      std::mt19937 random(3);
      for (int i = 0; i < 600 && !HasFatalFailure(); ++i) {
        writeText(path, mutant(whole, random));
        use(readPath(scratch.file("m")));
      }
      writeText(path, whole);
    }
  }
}

// Nested messages; `tag` is the field of the inner message.
std::string nested(int depth, const std::vector<char>& tags) {
  std::string bytes;
  for (int i = 0; i < depth; ++i) {
    for (auto tag = tags.rbegin(); tag != tags.rend(); ++tag) {
      std::string length;
      for (std::size_t n = bytes.size(); length.empty() || n; n >>= 7)
        length += static_cast<char>((n & 127) | (n > 127 ? 128 : 0));
      bytes = *tag + length + bytes;
    }
    if (bytes.size() > 1U << 20) break;
  }
  return bytes;
}

TEST(Damage, DeepNesting) {
  ScratchFolder scratch;
  // node { attr { value { func { attr { value { func ...
  writeText(scratch.file("deep.pb"), nested(2000, {0x0a, 0x2a, 0x12, 0x52, 0x12, 0x12}));
  EXPECT_NE(readPath(scratch.file("deep.pb")).diagnostics, "");
  std::string text = "node { name: \"n\" op: \"o\" ";
  for (int i = 0; i < 5000; ++i) text += "attr { value { func { ";
  writeText(scratch.file("deep.pbtxt"), text);
  EXPECT_NE(readPath(scratch.file("deep.pbtxt")).diagnostics, "");
}

TEST(Damage, HugeNumbers) {
  const std::string input = node("x", "Placeholder", {}, attr("dtype", "type: DT_FLOAT"));
  const std::string f32 = attr("T", "type: DT_FLOAT");
  for (const char* number : {"-1", "0", "9223372036854775807", "-9223372036854775808", "2147483648"}) {
    const std::string n = std::string("i: ") + number;
    use(readGraphText(input + node("s", "Split", {"x", "x"}, f32 + attr("num_split", n))));
    use(readGraphText(input + node("s", "AddN", {"x", "x"}, f32 + attr("N", n))));
    use(readGraphText(input + node("s", "Split", {"x", "x"}, f32 + attr("num_split", n)) +
                      node("r", "Relu", {"s:4294967295"}, f32)));
    const std::string size = std::string("dim { size: ") + number + " }";
    for (const std::string& shape : {size, size + size, "dim { size: 0 }" + size + size})
      use(readGraphText(
          node("c", "Const", {},
               attr("dtype", "type: DT_FLOAT") +
                   attr("value", "tensor { dtype: DT_FLOAT tensor_shape { " + shape + " } float_val: 1 }"))));
  }
}

TEST(Damage, Names) {
  const std::string input = node("x", "Placeholder", {}, attr("dtype", "type: DT_FLOAT"));
  for (const char* name :
       {"", "^", ":", "x:", ":0", "x:-1", "x:0x", "^x:0", "^^x", "x:0:0", "x:y:0", "x:99999999999999999999"})
    use(readGraphText(input + node("r", "Relu", {name}, attr("T", "type: DT_FLOAT"))));
}

}  // namespace
}  // namespace axle::test
