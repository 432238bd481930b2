// The functions of a file: their signatures, and which of them are reached.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph.pb.h"
#include "import/tensorflow/registry.h"

namespace axle::tensorflow {

class Library {
 public:
  // `messages` must live as long; bodies are taken out of it.
  explicit Library(wire::FunctionDefLibrary& messages);

  bool has(std::string_view name) const { return byName_.contains(name); }
  // The id of a function that is reached; none if the file has no such function. Ids count from 0 in the order of
  // asking.
  std::optional<FunctionId> reach(std::string_view name);
  std::size_t reached() const { return reached_.size(); }
  wire::FunctionDef& definition(FunctionId id) { return *reached_[id.index]; }

  // Inputs and outputs of a node's operator: a function's, or the table's. None where it is neither.
  struct Interface {
    std::span<const OperatorArgument> inputs, outputs;
    const Operator* op = nullptr;  // null for a function
  };
  std::optional<Interface> interfaceOf(const std::string& op);

 private:
  struct Row {
    wire::FunctionDef* definition;
    std::optional<FunctionId> id;
    bool parsed = false;
    std::vector<OperatorArgument> inputs, outputs;
  };
  std::unordered_map<std::string_view, Row> byName_;
  std::vector<wire::FunctionDef*> reached_;
};

OperatorArgument argumentOf(const wire::OpDef::ArgDef& message);

// How many tensors an argument stands for at a node with these attributes; none where only a call tells, or where an
// attribute that would tell is missing and has no default.
std::optional<std::int64_t> multiplicity(const OperatorArgument& argument, const wire::NodeDef& node,
                                         const Operator* op);

}  // namespace axle::tensorflow
