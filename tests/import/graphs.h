// Writes graphs for tests from text, and reads them as files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/tensorflow/reader/read.h"

namespace axle::test {

// The folder of the test graphs.
inline const std::string graphFolder = "tests/import/graphs/";

struct Read {
  std::optional<tensorflow::Model> model;
  std::string diagnostics;  // rendered
};

// Reads the model at `path`.
Read readPath(const std::string& path, const tensorflow::Choice& choice = {});
// Writes the text of a GraphDef to a binary file, and reads that.
Read readGraphText(const std::string& text, const tensorflow::Choice& choice = {});
// Returns the bytes of a GraphDef, a SavedModel or a MetaGraphDef from its text.
template <class Message>
std::string binaryOf(const std::string& text);

// Returns `node { name: NAME op: OP input: each }` and attributes as text.
std::string node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs = {},
                 const std::string& attributes = "");
// Returns `attr { key: KEY value { VALUE } }`.
std::string attr(const std::string& key, const std::string& value);

}  // namespace axle::test
