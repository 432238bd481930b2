// Tests files as TensorFlow wrote them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "graph.pb.h"
#include "import/tensorflow/dump.h"
#include "import/tensorflow/reader/saver.h"
#include "import/tensorflow/reader/sorted_table.h"
#include "saved_model.pb.h"
#include "tests/frontend/golden.h"
#include "tests/import/graphs.h"
#include "tests/io/scratch.h"

namespace axle::test {
namespace {

namespace fs = std::filesystem;
using tensorflow::Access;
using tensorflow::Choice;
using tensorflow::Variable;

const Variable* find(const Read& read, std::string_view key) {
  if (!read.model) return nullptr;
  for (const Variable& variable : read.model->variables)
    if (variable.key == key) return &variable;
  return nullptr;
}

std::vector<float> floats(const Variable* variable) {
  EXPECT_TRUE(variable && variable->read);
  if (!variable || !variable->read) return {};
  auto tensor = variable->read();
  if (!tensor) {
    ADD_FAILURE() << describe(tensor.error());
    return {};
  }
  std::vector<float> values(tensor->bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor->bytes.data(), tensor->bytes.size());
  return values;
}

TEST(Files, ListsContents) {
  for (const char* name : {"counter", "slices", "trained", "loop.pb", "while.pb"}) {
    auto read = readPath(graphFolder + name);
    ASSERT_TRUE(read.model) << read.diagnostics;
    expectGolden(graphFolder + fs::path(name).stem().string() + ".txt", tensorflow::dump(*read.model));
  }
}

TEST(Files, VariablesOfTensorFlow2) {
  auto read = readPath(graphFolder + "counter");
  ASSERT_TRUE(read.model) << read.diagnostics;
  ASSERT_EQ(read.model->variables.size(), 3U);
  EXPECT_EQ(floats(find(read, "parts/0/weight/.ATTRIBUTES/VARIABLE_VALUE")), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(floats(find(read, "parts/1/weight/.ATTRIBUTES/VARIABLE_VALUE")), (std::vector<float>{10, 20, 30}));
  const Variable* calls = find(read, "calls/.ATTRIBUTES/VARIABLE_VALUE");
  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->access, Access::state);
}

TEST(Files, UnassignedVariablesAreFrozen) {
  Choice seen;
  seen.signature = "seen";
  auto read = readPath(graphFolder + "counter", seen);
  ASSERT_TRUE(read.model) << read.diagnostics;
  ASSERT_EQ(read.model->variables.size(), 1U);
  EXPECT_EQ(read.model->variables[0].access, Access::frozen);
}

TEST(Files, APartitionedVariableIsReadInParts) {
  auto read = readPath(graphFolder + "slices");
  ASSERT_TRUE(read.model) << read.diagnostics;
  ASSERT_EQ(read.model->variables.size(), 2U);
  EXPECT_EQ(floats(&read.model->variables[0]), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(floats(&read.model->variables[1]), (std::vector<float>{6, 7, 8, 9, 10, 11}));
}

TEST(Files, AMetaGraphAndItsCheckpoint) {
  for (const char* name : {"trained", "trained.meta", "trained.index"})
    EXPECT_EQ(floats(find(readPath(graphFolder + name), "weight")), (std::vector<float>{1, 2})) << name;
}

TEST(Files, SavedModelFileOpensItsFolder) {
  EXPECT_EQ(readPath(graphFolder + "counter/saved_model.pb").model->variables.size(), 3U);
}

// Reads a copy of a model with one file replaced.
Read readWith(const std::string& model, const std::string& file, const std::optional<std::string>& bytes) {
  ScratchFolder scratch;
  fs::copy(graphFolder + model, scratch.file("m"), fs::copy_options::recursive);
  fs::permissions(scratch.file("m"), fs::perms::owner_all);
  fs::remove(scratch.file("m/" + file));
  if (bytes) writeText(scratch.file("m/" + file), *bytes);
  auto read = readPath(scratch.file("m"));
  if (read.model)
    for (const Variable& variable : read.model->variables)
      if (variable.read)
        if (auto value = variable.read(); !value) read.diagnostics += describe(value.error()) + "\n";
  return read;
}

// A file can map variables to keys twice. One mapping is enough, but two must agree.
TEST(Files, KeysComeFromTheSaverAndTheObjectGraph) {
  tensorflow::wire::SavedModel model;
  ASSERT_TRUE(model.ParseFromString(readFile(graphFolder + "counter/saved_model.pb")));
  tensorflow::wire::MetaGraphDef& meta = *model.mutable_meta_graphs(0);
  meta.clear_saver_def();
  auto byObjects = readWith("counter", "saved_model.pb", model.SerializeAsString());
  EXPECT_TRUE(find(byObjects, "parts/0/weight/.ATTRIBUTES/VARIABLE_VALUE")) << byObjects.diagnostics;
  EXPECT_TRUE(find(byObjects, "parts/1/weight/.ATTRIBUTES/VARIABLE_VALUE"));

  ASSERT_TRUE(model.ParseFromString(readFile(graphFolder + "counter/saved_model.pb")));
  for (auto& [name, function] : *model.mutable_meta_graphs(0)->mutable_object_graph_def()->mutable_concrete_functions())
    if (function.bound_inputs_size() == 3) function.mutable_bound_inputs()->SwapElements(1, 2);
  auto both = readWith("counter", "saved_model.pb", model.SerializeAsString());
  EXPECT_NE(both.diagnostics.find(
                "restores the variable `weight_1` from the key `parts/0/weight/.ATTRIBUTES/VARIABLE_VALUE`, but "
                "the graph of objects says `parts/1/weight/.ATTRIBUTES/VARIABLE_VALUE`"),
            std::string::npos)
      << both.diagnostics;
}

// Returns a meta graph of `count` variables that one operation restores, as TensorFlow 1 writes it.
tensorflow::wire::MetaGraphDef restoredGraph(std::size_t count) {
  tensorflow::wire::MetaGraphDef meta;
  auto add = [&](const std::string& name, const std::string& op, const std::vector<std::string>& inputs) {
    tensorflow::wire::NodeDef& node = *meta.mutable_graph_def()->add_node();
    node.set_name(name);
    node.set_op(op);
    for (const std::string& input : inputs) node.add_input(input);
    return &node;
  };
  std::vector<std::string> assignments;
  for (const char* list : {"save/names", "save/slices"}) {
    tensorflow::wire::TensorProto& value = *(*add(list, "Const", {})->mutable_attr())["value"].mutable_tensor();
    value.set_dtype(tensorflow::wire::DT_STRING);
    value.mutable_tensor_shape()->add_dim()->set_size(static_cast<std::int64_t>(count));
    for (std::size_t i = 0; i < count; ++i)
      value.add_string_val(list == std::string_view("save/names") ? "key/" + std::to_string(i) : "");
  }
  add("save/restore", "RestoreV2", {"save/file", "save/names", "save/slices"});
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "v" + std::to_string(i);
    add(name, "VariableV2", {});
    add(name + "/assign", "Assign", {name, "save/restore:" + std::to_string(i)});
    assignments.push_back("^" + name + "/assign");
  }
  add("save/restore_all", "NoOp", assignments);
  meta.mutable_saver_def()->set_restore_op_name("save/restore_all");
  return meta;
}

// Each variable reads one string of lists that have an item for each variable.
TEST(Files, KeysOfManyVariablesTakeLinearTime) {
  auto seconds = [](std::size_t count) {
    const tensorflow::wire::MetaGraphDef meta = restoredGraph(count);
    double best = 1e9;
    for (int turn = 0; turn < 3; ++turn) {
      const std::clock_t start = std::clock();
      const tensorflow::SavedVariables saved = tensorflow::savedVariables(meta);
      best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
      EXPECT_EQ(saved.restored.size(), count);
      EXPECT_EQ(saved.restored.at("v" + std::to_string(count - 1)).key, "key/" + std::to_string(count - 1));
    }
    return best;
  };
  const double few = seconds(500), many = seconds(5000);
  EXPECT_LT(many, 40 * few);  // 10 times as many: lists that are converted for each variable take 100 times as long
}

TEST(Files, GraphShapeOverridesSignatureShape) {
  tensorflow::wire::SavedModel model;
  ASSERT_TRUE(model.ParseFromString(readFile(graphFolder + "slices/saved_model.pb")));
  auto& x = (*(*model.mutable_meta_graphs(0)->mutable_signature_def())["serving_default"].mutable_inputs())["x"];
  x.mutable_tensor_shape()->mutable_dim(0)->set_size(7);
  x.mutable_tensor_shape()->mutable_dim(1)->set_size(5);
  auto read = readWith("slices", "saved_model.pb", model.SerializeAsString());
  ASSERT_TRUE(read.model) << read.diagnostics;
  EXPECT_EQ(tensorflow::toText(read.model->inputs.at(0).shape), "[?, 4]");
}

TEST(Files, BrokenCheckpoints) {
  const auto says = [](const Read& read, const std::string& words) {
    EXPECT_NE(read.diagnostics.find(words), std::string::npos) << read.diagnostics;
  };
  const std::string index = readFile(graphFolder + "counter/variables/variables.index");
  const std::string data = readFile(graphFolder + "counter/variables/variables.data-00000-of-00001");
  const std::string indexFile = "variables/variables.index", dataFile = "variables/variables.data-00000-of-00001";
  says(readWith("counter", indexFile, std::nullopt), "variables.index");
  says(readWith("counter", indexFile, index.substr(0, index.size() - 1)), "is no table, or cut off");
  says(readWith("counter", dataFile, std::nullopt), "the data of the checkpoint are missing");
  const Read cut = readWith("counter", dataFile, data.substr(0, 20));
  says(cut, "the checkpoint of 2 variables cannot be read: the data of the checkpoint are cut off: 20 bytes of 467");
  says(cut, "the variables are `weight_1`, `weight`");
  EXPECT_EQ(cut.diagnostics.find("error["), cut.diagnostics.rfind("error[")) << cut.diagnostics;
  std::string flipped = data;
  flipped[data.find("\x80\x3f")] ^= 1;  // of 1.0f, somewhere in a weight
  says(readWith("counter", dataFile, flipped), "the checksum of the data is wrong");
  flipped = index;
  flipped[10] ^= 1;
  says(readWith("counter", indexFile, flipped), "the checksum of a block is wrong");
}

TEST(Files, TextAndBinaryGiveTheSameModel) {
  ScratchFolder scratch;
  for (const char* name : {"dense", "functions"}) {
    const std::string path = "tests/tools/axc/files/graphs/" + std::string(name) + ".pbtxt";
    writeText(scratch.file("g.pb"), binaryOf<tensorflow::wire::GraphDef>(readFile(path)));
    auto text = readPath(path), binary = readPath(scratch.file("g.pb"));
    ASSERT_TRUE(text.model && binary.model) << text.diagnostics << binary.diagnostics;
    binary.model->path = path;
    EXPECT_EQ(tensorflow::dump(*text.model), tensorflow::dump(*binary.model));
  }
}

TEST(Files, TagsChooseAGraph) {
  const auto meta = [](const std::string& tags, const std::string& name) {
    return "meta_graphs { meta_info_def { " + tags + " } graph_def { " +
           node(name, "Placeholder", {}, attr("dtype", "type: DT_FLOAT")) + " } }\n";
  };
  ScratchFolder scratch;
  writeText(scratch.file("saved_model.pbtxt"),
            "saved_model_schema_version: 1\n" + meta("tags: 'train'", "a") + meta("tags: 'serve' tags: 'gpu'", "b"));
  const auto output = [&](std::vector<std::string> tags) {
    auto read = readPath(scratch.file(""), {std::move(tags), {}, {}, {}});
    return read.model ? read.model->outputs.at(0).name : read.diagnostics;
  };
  EXPECT_EQ(output({}), "b");
  EXPECT_EQ(output({"train"}), "a");
  EXPECT_EQ(output({"gpu"}), "b");
  EXPECT_NE(output({"tpu"}).find("there is a graph with the tags serve,gpu"), std::string::npos);
}

TEST(Checksum, MatchesTheStandard) {
  EXPECT_EQ(tensorflow::crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(tensorflow::crc32c("56789", tensorflow::crc32c("1234")), 0xe3069283U);
}

TEST(Checksum, IsTheSameByInstructionAndByTables) {
  std::string bytes;
  for (int i = 0; i < 80; ++i) bytes += static_cast<char>(i * 37 + 200);
  EXPECT_EQ(tensorflow::crc32cByTables("123456789"), 0xe3069283U);
  for (std::size_t start = 0; start < 9; ++start)
    for (std::size_t length = 0; start + length <= bytes.size(); ++length) {
      const std::string_view part = std::string_view(bytes).substr(start, length);
      EXPECT_EQ(tensorflow::crc32c(part, 7), tensorflow::crc32cByTables(part, 7)) << start << " " << length;
    }
}

}  // namespace
}  // namespace axle::test
