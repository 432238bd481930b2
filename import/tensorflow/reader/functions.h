// The functions of a file: their signatures, and which of them the graphs read so far call.
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
  // `messages` must outlive it. Readers of function bodies move parts out of the messages.
  explicit Library(wire::FunctionDefLibrary& messages);

  bool has(std::string_view name) const { return byName_.contains(name); }
  // Returns the id of a called function; none if the file has no such function. Ids count from 0 in the order of the
  // first calls.
  std::optional<FunctionId> reach(std::string_view name);
  std::size_t reached() const { return reached_.size(); }
  wire::FunctionDef& definition(FunctionId id) { return *reached_[id.index]; }

  // The inputs and outputs of an operator: a function of the file, or a row of the registry. `interfaceOf` returns none
  // if it is neither.
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

// Returns the number of tensors that an argument of a node stands for. None if the node's attributes do not determine
// it: only the call of their function does, or an attribute is missing and has no default.
std::optional<std::int64_t> multiplicity(const OperatorArgument& argument, const wire::NodeDef& node,
                                         const Operator* op);
// The same for all arguments together. Also none if the number exceeds the range of ports.
std::optional<std::int64_t> tensorCount(std::span<const OperatorArgument> arguments, const wire::NodeDef& node,
                                        const Operator* op);

}  // namespace axle::tensorflow
