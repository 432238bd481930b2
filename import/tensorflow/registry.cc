#include "import/tensorflow/registry.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <span>

namespace axle::tensorflow {

namespace {

constexpr std::string_view operatorRows[] = {
#include "import/tensorflow/operator_rows.inc"
};

std::string_view nameOf(std::string_view row) { return row.substr(0, row.find('|')); }

// Removes the text up to the next `end` outside of quotes and brackets, and that `end`, from `text`. Returns the
// removed text.
std::string_view takeUntil(std::string_view& text, char end) {
  int depth = 0;
  bool quoted = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '\\')
      ++at;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && depth == 0 && c == end)
      break;
    else if (!quoted && (c == '(' || c == '[' || c == '{'))
      ++depth;
    else if (!quoted && (c == ')' || c == ']' || c == '}'))
      --depth;
  }
  std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

template <class T>
T number(std::string_view text) {
  T value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string unquoted(std::string_view text) {
  std::string plain;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    const bool escaped = text[i - 1] == '\\' && i > 1;
    plain += escaped && text[i] == 'n' ? '\n' : escaped && text[i] == 't' ? '\t' : text[i];
  }
  return plain;
}

// Returns the kind of a list's items; none if `kind` is not a list.
std::optional<std::string_view> itemKind(std::string_view kind) {
  if (!kind.starts_with("list(")) return std::nullopt;
  return kind.substr(5, kind.size() - 6);
}

Value parseValue(std::string_view kind, std::string_view text) {
  if (auto items = itemKind(kind)) {
    text = text.substr(1, text.size() - 2);
    Values values;
    while (!text.empty()) values.push_back(parseValue(*items, takeUntil(text, ',')));
    return values;
  }
  if (kind == "int") return number<std::int64_t>(text);
  if (kind == "float") return number<float>(text);
  if (kind == "bool") return text == "true";
  if (kind == "type") return typeNamed(text).value_or(Type::invalid);
  if (kind == "string") return unquoted(text);
  PartialShape shape{text != "..", {}};
  for (text = text.substr(1, text.size() - 2); shape.knownRank && !text.empty();)
    shape.sizes.push_back(number<std::int64_t>(takeUntil(text, ',')));
  return shape;
}

OperatorArgument parseArgument(std::string_view text) {
  OperatorArgument argument;
  argument.name = takeUntil(text, ':');
  if (text.ends_with('&')) {
    argument.isReference = true;
    text.remove_suffix(1);
  }
  if (text.find('*') != text.npos) argument.number = takeUntil(text, '*');
  if (text.starts_with('['))
    argument.typeList = text.substr(1, text.size() - 2);
  else if (auto type = typeNamed(text))
    argument.type = *type;
  else
    argument.typeAttribute = text;
  return argument;
}

// Parses `half,float` or `>=4`.
void addLimit(OperatorAttribute& attribute, std::string_view text) {
  if (text.starts_with('{')) text.remove_prefix(1);
  if (text.starts_with(">=")) {
    attribute.least = number<std::int64_t>(text.substr(2));
    return;
  }
  const std::string_view kind = itemKind(attribute.kind).value_or(attribute.kind);
  while (!text.empty()) attribute.allowed.push_back(parseValue(kind, takeUntil(text, ',')));
}

Operator parseRow(std::string_view row) {
  Operator op;
  op.name = takeUntil(row, '|');
  for (std::vector<OperatorArgument>* arguments : {&op.inputs, &op.outputs})
    for (std::string_view column = takeUntil(row, '|'); !column.empty();)
      arguments->push_back(parseArgument(takeUntil(column, ' ')));
  for (std::string_view column = takeUntil(row, '|'); !column.empty();) {
    std::string_view text = takeUntil(column, ' ');
    OperatorAttribute attribute;
    attribute.name = takeUntil(text, ':');
    std::string_view kind = takeUntil(text, '=');
    attribute.kind = takeUntil(kind, '{');
    while (!kind.empty()) addLimit(attribute, takeUntil(kind, '}'));
    if (!text.empty()) attribute.fallback = parseValue(attribute.kind, text);
    op.attributes.push_back(std::move(attribute));
  }
  op.isStateful = row == "stateful";
  return op;
}

}  // namespace

const OperatorAttribute* Operator::find(std::string_view attribute) const {
  for (const OperatorAttribute& row : attributes)
    if (row.name == attribute) return &row;
  return nullptr;
}

bool OperatorAttribute::allows(const Value& value) const {
  const auto isAmong = [&](const auto& wanted) {
    return allowed.empty() || std::any_of(allowed.begin(), allowed.end(), [&](const Value& one) {
             const auto* is = std::get_if<std::decay_t<decltype(wanted)>>(&one);
             return is && *is == wanted;
           });
  };
  if (const auto* list = std::get_if<Values>(&value))
    return std::all_of(list->begin(), list->end(), [&](const Value& item) { return allows(item); });
  if (const auto* type = std::get_if<Type>(&value)) return isAmong(*type);
  if (const auto* text = std::get_if<std::string>(&value)) return isAmong(*text);
  return true;
}

bool OperatorAttribute::meetsMinimum(const Value& value) const {
  if (!least) return true;
  if (const auto* list = std::get_if<Values>(&value)) return static_cast<std::int64_t>(list->size()) >= *least;
  const auto* number = std::get_if<std::int64_t>(&value);
  return !number || *number >= *least;
}

const Operator* operatorNamed(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string_view, Operator> parsed;  // rows are parsed on demand
  std::lock_guard lock(mutex);
  if (auto found = parsed.find(name); found != parsed.end()) return &found->second;
  const auto* row = std::lower_bound(std::begin(operatorRows), std::end(operatorRows), name,
                                     [](std::string_view a, std::string_view b) { return nameOf(a) < b; });
  if (row == std::end(operatorRows) || nameOf(*row) != name) return nullptr;
  return &parsed.emplace(nameOf(*row), parseRow(*row)).first->second;
}

std::vector<std::string_view> operatorNames() {
  std::vector<std::string_view> names;
  for (std::string_view row : operatorRows) names.push_back(nameOf(row));
  return names;
}

const Value* attributeOf(const Node& node, std::string_view name) {
  if (const Value* own = node.find(name); own && !std::holds_alternative<std::monostate>(*own)) return own;
  const Operator* op = node.callee ? nullptr : operatorNamed(node.op);
  const OperatorAttribute* row = op ? op->find(name) : nullptr;
  return row && row->fallback ? &*row->fallback : nullptr;
}

bool isOfKind(const Value& value, std::string_view kind) {
  if (std::holds_alternative<FromCall>(value)) return true;
  if (auto items = itemKind(kind)) {
    const auto* list = std::get_if<Values>(&value);
    return list && std::all_of(list->begin(), list->end(), [&](const Value& v) { return isOfKind(v, *items); });
  }
  struct Row {
    std::string_view kind;
    bool (*holds)(const Value&);
  };
  static constexpr Row kinds[] = {
      {"string", [](const Value& v) { return std::holds_alternative<std::string>(v); }},
      {"int", [](const Value& v) { return std::holds_alternative<std::int64_t>(v); }},
      {"float", [](const Value& v) { return std::holds_alternative<float>(v); }},
      {"bool", [](const Value& v) { return std::holds_alternative<bool>(v); }},
      {"type", [](const Value& v) { return std::holds_alternative<Type>(v); }},
      {"shape", [](const Value& v) { return std::holds_alternative<PartialShape>(v); }},
      {"tensor", [](const Value& v) { return std::holds_alternative<std::shared_ptr<const Tensor>>(v); }},
      {"func", [](const Value& v) { return std::holds_alternative<FunctionName>(v); }},
  };
  for (const Row& row : kinds)
    if (row.kind == kind) return row.holds(value);
  return false;
}

namespace {

// Operators that pass a variable on, and operators that take one without assigning it.
constexpr std::string_view passing[] = {"Identity", "IdentityN", "RefIdentity",   "Switch",   "RefSwitch",
                                        "Merge",    "RefMerge",  "Enter",         "RefEnter", "Exit",
                                        "RefExit",  "RefSelect", "NextIteration", "_SwitchN", "RefNextIteration"};
constexpr std::string_view reading[] = {"ReadVariableOp",        "_ReadVariablesOp",  "ResourceGather",
                                        "ResourceGatherNd",      "VariableShape",     "VarIsInitializedOp",
                                        "IsVariableInitialized", "DisableCopyOnRead", "DestroyResourceOp"};

bool isAmong(std::string_view op, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

}  // namespace

bool isPlaceholder(std::string_view op) { return op == "Placeholder" || op == "PlaceholderV2"; }

bool passesVariables(std::string_view op) { return isAmong(op, passing); }

bool readsVariables(std::string_view op) { return isAmong(op, reading); }

// A node assigns a variable that it takes by reference, or as a resource unless its operator is one of the readers.
bool mayAssign(const Node& node, std::size_t input) {
  if (passesVariables(node.op) || readsVariables(node.op)) return false;
  const Operator* op = operatorNamed(node.op);
  if (!op || input >= op->inputs.size()) return false;
  for (std::size_t i = 0; i <= input; ++i)  // behind a list, inputs and rows do not match
    if (!op->inputs[i].number.empty() || !op->inputs[i].typeList.empty()) return false;
  return op->inputs[input].isReference || op->inputs[input].type == Type::resource;
}

}  // namespace axle::tensorflow
