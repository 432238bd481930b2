#include "import/tensorflow/operators/argument_types.h"

namespace axle::tensorflow {

const Value* attributeIn(const Node& node, std::string_view name, const std::vector<Attribute>& fromCall) {
  const Value* value = attributeOf(node, name);
  if (const auto* from = value ? std::get_if<FromCall>(value) : nullptr)
    for (const Attribute& given : fromCall)
      if (given.name == from->attribute) return &given.value;
  return value;
}

std::vector<TypedArgument> typedArguments(std::span<const OperatorArgument> arguments, const Node& node,
                                          const std::vector<Attribute>& fromCall) {
  std::vector<TypedArgument> all;
  auto given = [&](std::string_view name) { return attributeIn(node, name, fromCall); };
  auto typeAt = [](const Value* value) {
    const auto* type = value ? std::get_if<Type>(value) : nullptr;
    return type ? *type : Type::invalid;
  };
  for (const OperatorArgument& argument : arguments) {
    if (!argument.typeList.empty()) {
      const Value* list = given(argument.typeList);
      if (const auto* items = list ? std::get_if<Values>(list) : nullptr)
        for (const Value& item : *items) all.push_back({typeAt(&item), &argument});
      continue;
    }
    Type type = argument.typeAttribute.empty() ? argument.type : typeAt(given(argument.typeAttribute));
    std::int64_t number = 1;
    if (!argument.number.empty()) {
      const Value* value = given(argument.number);
      const auto* count = value ? std::get_if<std::int64_t>(value) : nullptr;
      number = count && *count <= mostTimes ? *count : 0;
    }
    for (std::int64_t i = 0; i < number; ++i) all.push_back({type, &argument});
  }
  return all;
}

std::vector<Type> outletTypes(const Node& node, const std::vector<Attribute>& fromCall) {
  std::vector<Type> types;
  if (const Operator* op = operatorNamed(node.op))
    for (const TypedArgument& output : typedArguments(op->outputs, node, fromCall)) types.push_back(output.type);
  return types;
}

}  // namespace axle::tensorflow
