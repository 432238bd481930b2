#include "import/tensorflow/reader/functions.h"

#include <algorithm>

namespace axle::tensorflow {

Library::Library(wire::FunctionDefLibrary& messages) {
  byName_.reserve(static_cast<std::size_t>(messages.function_size()));
  for (wire::FunctionDef& definition : *messages.mutable_function())
    byName_.emplace(definition.signature().name(), Row{&definition, std::nullopt, false, {}, {}});
}

std::optional<FunctionId> Library::reach(std::string_view name) {
  const auto found = byName_.find(name);
  if (found == byName_.end()) return std::nullopt;
  if (!found->second.id) {
    found->second.id = FunctionId{static_cast<std::uint32_t>(reached_.size())};
    reached_.push_back(found->second.definition);
  }
  return found->second.id;
}

std::optional<Library::Interface> Library::interfaceOf(const std::string& name) {
  if (const auto found = byName_.find(name); found != byName_.end()) {
    Row& row = found->second;
    if (!row.parsed) {
      for (const auto& message : row.definition->signature().input_arg()) row.inputs.push_back(argumentOf(message));
      for (const auto& message : row.definition->signature().output_arg()) row.outputs.push_back(argumentOf(message));
      row.parsed = true;
    }
    return Interface{row.inputs, row.outputs, nullptr};
  }
  const Operator* op = operatorNamed(name);
  if (!op) return std::nullopt;
  return Interface{op->inputs, op->outputs, op};
}

OperatorArgument argumentOf(const wire::OpDef::ArgDef& message) {
  OperatorArgument argument;
  argument.name = message.name();
  argument.type = typeNumbered(message.type());
  argument.typeAttribute = message.type_attr();
  argument.number = message.number_attr();
  argument.typeList = message.type_list_attr();
  argument.isReference = message.is_ref() || message.type() > referenceOffset;
  return argument;
}

std::optional<std::int64_t> multiplicity(const OperatorArgument& argument, const wire::NodeDef& node,
                                         const Operator* op) {
  const bool isList = !argument.typeList.empty();
  const std::string_view name = isList ? argument.typeList : argument.number;
  if (name.empty()) return 1;
  if (const auto found = node.attr().find(std::string(name)); found != node.attr().end()) {
    if (isList && found->second.has_list()) return found->second.list().type_size();
    if (!isList && found->second.value_case() == wire::AttrValue::kI) return found->second.i();
    return std::nullopt;
  }
  const OperatorAttribute* row = op ? op->find(name) : nullptr;
  if (!row || !row->fallback) return std::nullopt;
  if (const auto* list = std::get_if<Values>(&*row->fallback)) return static_cast<std::int64_t>(list->size());
  if (const auto* number = std::get_if<std::int64_t>(&*row->fallback)) return *number;
  return std::nullopt;
}

std::optional<std::int64_t> tensorCount(std::span<const OperatorArgument> arguments, const wire::NodeDef& node,
                                        const Operator* op) {
  std::int64_t count = 0;
  for (const OperatorArgument& argument : arguments) {
    const auto times = multiplicity(argument, node, op);
    if (!times || *times > INT32_MAX) return std::nullopt;
    count += std::max<std::int64_t>(0, *times);
  }
  return count;
}

}  // namespace axle::tensorflow
