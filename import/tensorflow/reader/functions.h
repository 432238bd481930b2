// The functions of a file: their signatures, and which of them are called by what was read so far.
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
  // `messages` must outlive it. Readers of bodies move parts out of the messages.
  explicit Library(wire::FunctionDefLibrary& messages);

  bool has(std::string_view name) const { return byName_.contains(name); }
  // The id of a function that is called; none where the file has no such function. Ids count from 0 in the order of the
  // first calls.
  std::optional<FunctionId> reach(std::string_view name);
  std::size_t reached() const { return reached_.size(); }
  wire::FunctionDef& definition(FunctionId id) { return *reached_[id.index]; }

  // The inputs and outputs of a node's operator, which is a function of the file or a row of the registry. None where
  // it is neither.
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

// How many tensors an argument of a node stands for. None where the node's attributes do not say it: only the call of
// their function does, or an attribute is missing and has no default.
std::optional<std::int64_t> multiplicity(const OperatorArgument& argument, const wire::NodeDef& node,
                                         const Operator* op);
// The same of all arguments together. None, too, where the number is beyond any port's.
std::optional<std::int64_t> tensorCount(std::span<const OperatorArgument> arguments, const wire::NodeDef& node,
                                        const Operator* op);

}  // namespace axle::tensorflow
