// What TensorFlow's registry says of its operators: names of their inputs and outputs, how attributes multiply them,
// and the attributes' kinds and defaults. One table (operator_rows.inc, which make_operators.py writes).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

// The most tensors that an attribute may say one argument stands for.
inline constexpr std::int64_t mostTimes = 65'536;

// An input or output of an operator. It stands for as many tensors as `number` says, or as the list of types has; else
// for one.
struct OperatorArgument {
  std::string_view name;
  Type type = Type::invalid;       // where no attribute says it
  std::string_view typeAttribute;  // `T`
  std::string_view number;         // `N`: an attribute
  std::string_view typeList;       // `Tout`: an attribute
  bool isReference = false;
};

struct OperatorAttribute {
  std::string_view name;
  std::string_view kind;              // `int`, `list(type)`, `func`, ...
  std::vector<Value> allowed;         // all that it, or an item of it, may be; none: anything of its kind
  std::optional<std::int64_t> least;  // of a number its value, of a list its length
  std::optional<Value> fallback;

  bool allows(const Value& value) const;        // leaves `least` aside
  bool meetsMinimum(const Value& value) const;  // `least`
};

struct Operator {
  std::string_view name;
  std::vector<OperatorArgument> inputs, outputs;
  std::vector<OperatorAttribute> attributes;
  bool isStateful = false;

  const OperatorAttribute* find(std::string_view attribute) const;
};

// Null where the table has none of that name. What it gives lives as long as the program.
const Operator* operatorNamed(std::string_view name);

// All that the table has, sorted.
std::vector<std::string_view> operatorNames();

// The node's attribute, else the operator's default, else null. Of nodes that call a function: only their own.
const Value* attributeOf(const Node& node, std::string_view name);

// Whether a value is of an attribute's kind. A value that a call gives is of any, as is an empty list of any list's.
bool isOfKind(const Value& value, std::string_view kind);

// Operators whose value the caller gives.
bool isPlaceholder(std::string_view op);
// Operators that hand a variable on, and those that take one without assigning it.
bool passesVariables(std::string_view op);
bool readsVariables(std::string_view op);
// Whether it assigns the variable that this input may be; an operator that calls functions does not by itself.
bool mayAssign(const Node& node, std::size_t input);

}  // namespace axle::tensorflow
