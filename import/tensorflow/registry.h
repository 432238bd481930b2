// TensorFlow's registry of operators: the names of their inputs and outputs, how attributes multiply these, and the
// kinds and defaults of attributes. The table is operator_rows.inc, which make_operators.py writes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

// The most tensors that one argument may stand for.
inline constexpr std::int64_t mostTimes = 65'536;

// An input or output of an operator. It stands for as many tensors as the attribute `number` says, or as the list of
// types has; otherwise for one.
struct OperatorArgument {
  std::string_view name;
  Type type = Type::invalid;       // if no attribute determines it
  std::string_view typeAttribute;  // `T`
  std::string_view number;         // `N`: an attribute
  std::string_view typeList;       // `Tout`: an attribute
  bool isReference = false;
};

struct OperatorAttribute {
  std::string_view name;
  std::string_view kind;              // `int`, `list(type)`, `func`, ...
  std::vector<Value> allowed;         // values that it, or an item of it, may have; empty: any value of its kind
  std::optional<std::int64_t> least;  // minimum of a number, or of a list's length
  std::optional<Value> fallback;

  bool allows(const Value& value) const;        // checks `allowed` only
  bool meetsMinimum(const Value& value) const;  // checks `least` only
};

struct Operator {
  std::string_view name;
  std::vector<OperatorArgument> inputs, outputs;
  std::vector<OperatorAttribute> attributes;
  bool isStateful = false;

  const OperatorAttribute* find(std::string_view attribute) const;
};

// Returns an operator, which lives as long as the program; null if the table has none of that name.
const Operator* operatorNamed(std::string_view name);

// Returns the names of all operators in the table, sorted.
std::vector<std::string_view> operatorNames();

// Returns the node's attribute, or the operator's default, or null. A node that calls a function has no defaults.
const Value* attributeOf(const Node& node, std::string_view name);

// Whether a value has an attribute's kind. A value that a call supplies has any kind; an empty list has any list's.
bool isOfKind(const Value& value, std::string_view kind);

// Whether the caller supplies the operator's value.
bool isPlaceholder(std::string_view op);
// Whether an operator passes a variable on; whether it takes a variable without assigning it.
bool passesVariables(std::string_view op);
bool readsVariables(std::string_view op);
// Whether the node may assign a variable given as this input. False for a node that only calls functions.
bool mayAssign(const Node& node, std::size_t input);

}  // namespace axle::tensorflow
