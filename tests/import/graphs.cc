#include "tests/import/graphs.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "graph.pb.h"
#include "saved_model.pb.h"
#include "tests/frontend/golden.h"
#include "tests/io/scratch.h"

namespace axle::test {

Read readPath(const std::string& path, const tensorflow::Choice& choice) {
  SourceMap sources;
  Diagnostics diagnostics;
  Read read;
  read.model = tensorflow::readModel(path, choice, sources, diagnostics);
  for (const Diagnostic& d : diagnostics) {
    read.diagnostics += render(d, sources);
    EXPECT_FALSE(renderJson(d, sources).empty());
  }
  EXPECT_EQ(read.model.has_value(), read.diagnostics.empty()) << read.diagnostics;
  return read;
}

Read readGraphText(const std::string& text, const tensorflow::Choice& choice) {
  ScratchFolder folder;
  writeText(folder.file("graph.pb"), binaryOf<tensorflow::wire::GraphDef>(text));
  return readPath(folder.file("graph.pb"), choice);
}

template <class Message>
std::string binaryOf(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message.SerializeAsString();
}
template std::string binaryOf<tensorflow::wire::GraphDef>(const std::string&);
template std::string binaryOf<tensorflow::wire::SavedModel>(const std::string&);
template std::string binaryOf<tensorflow::wire::MetaGraphDef>(const std::string&);

std::string node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                 const std::string& attributes) {
  std::string text = "node { name: \"" + name + "\" op: \"" + op + "\"";
  for (const std::string& input : inputs) text += " input: \"" + input + "\"";
  return text + " " + attributes + " }\n";
}

std::string attr(const std::string& key, const std::string& value) {
  return "attr { key: \"" + key + "\" value { " + value + " } }";
}

}  // namespace axle::test
