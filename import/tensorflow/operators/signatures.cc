// Types operators by signatures in the language of the core operators.
#include <algorithm>

#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/registry.h"

namespace axle::tensorflow {
namespace {

// Returns the registry's name of each input of a node; all inputs of a list have the list's name.
std::vector<std::string_view> inputNames(const RuleNode& n, const Operator& op) {
  std::vector<std::string_view> names;
  for (const OperatorArgument& argument : op.inputs) {
    std::size_t count = 1;
    const Value* value = nullptr;
    if (!argument.number.empty()) value = n.attribute(argument.number);
    if (!argument.typeList.empty()) value = n.attribute(argument.typeList);
    if (const auto* number = value ? std::get_if<std::int64_t>(value) : nullptr)
      count = static_cast<std::size_t>(std::max<std::int64_t>(*number, 0));
    if (const auto* items = value ? std::get_if<Values>(value) : nullptr) count = items->size();
    for (std::size_t i = 0; i < count && names.size() < n.count(); ++i) names.push_back(argument.name);
  }
  names.resize(n.count());
  return names;
}

std::optional<StaticId> listOf(RuleNode& n, std::size_t count) {
  std::vector<Dim> items;
  for (std::size_t i = 0; i < count; ++i) items.push_back(n.t.unknownSize("d"));
  return n.t.list(items);
}

// Returns the value of an input as a static argument. If it is not known, sets `waits` and returns the part that is
// known.
std::optional<StaticId> fromInput(RuleNode& n, std::size_t input, const ast::OpAttribute& wanted, bool& waits) {
  auto value = n.known(input);
  if (!value) {
    waits = true;
    if (wanted.sort == ast::Sort::integer) return n.t.integer(n.t.unknownSize(wanted.name.text));
    if (wanted.length) return listOf(n, *wanted.length);
    auto dims = n.dims(input);
    auto count = dims && dims->size() == 1 ? n.t.solution().dims.asConstant(dims->front()) : std::nullopt;
    if (wanted.sort == ast::Sort::shape && count && *count >= 0 && *count <= mostKnown)
      return listOf(n, static_cast<std::size_t>(*count));
    return std::nullopt;
  }
  if (wanted.sort == ast::Sort::integer)
    return value->count() == 1 ? std::optional(n.t.integer(value->elements.front())) : std::nullopt;
  if (wanted.sort != ast::Sort::shape && wanted.sort != ast::Sort::sizes) return n.t.list(value->elements);
  auto sizes = n.sizes(input);
  if (!sizes) return std::nullopt;
  std::vector<StaticId> items;
  for (std::size_t i = 0; i < sizes->size(); ++i)
    items.push_back(n.t.solution().dims.asConstant(value->elements[i]) == -1 ? n.t.hole() : n.t.integer((*sizes)[i]));
  return n.t.list(std::move(items));
}

std::optional<StaticId> fromAttribute(RuleNode& n, const ast::OpAttribute& wanted) {
  const std::string& name = wanted.name.text;
  const Value* value = n.attribute(name);
  if (!value) return std::nullopt;
  if (const auto* number = std::get_if<std::int64_t>(value)) return n.t.integer(*number);
  if (const auto* flag = std::get_if<bool>(value)) return n.t.boolean(*flag);
  if (std::holds_alternative<Values>(*value)) return n.t.list(n.integers(name));
  if (const auto* word = std::get_if<std::string>(value)) {
    std::string lower = *word;
    for (char& c : lower)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return n.t.word(std::move(lower));
  }
  if (const auto* shape = std::get_if<PartialShape>(value)) {
    if (!shape->knownRank) return std::nullopt;
    std::vector<StaticId> items;
    for (std::int64_t size : shape->sizes)
      items.push_back(n.t.integer(size < 0 ? n.t.unknownSize("d") : n.t.constant(size)));
    return n.t.list(std::move(items));
  }
  return std::nullopt;
}

bool isHandle(Type type) { return type == Type::resource || type == Type::variant; }

}  // namespace

Outcome byCoreOperator(RuleNode& n, std::string_view core) {
  for (std::size_t i = 0; i < n.count(); ++i)
    if (!n.isTensor(i)) return Outcome::unknown;
  return n.give(n.op(core, n.ins()));
}

Outcome bySignature(RuleNode& n, std::string_view) {
  const Operator* op = operatorNamed(n.node.op);
  if (!op) return Outcome::unknown;
  const OperatorRow* row = findOperatorRow(n.node.op);
  std::string name = n.node.op;
  if (n.text("data_format").starts_with("NC") && row && !row->type.channelsFirst.empty()) name += "/NC";
  auto found = n.t.checked().operators.find(name);
  if (!found) return Outcome::unknown;
  const std::vector<ast::OpAttribute>& wanted = n.t.checked().operators[*found].decl->attributes;
  std::vector<std::string_view> names = inputNames(n, *op);
  std::vector<TypedId> arguments;
  Statics statics;
  bool waits = false;
  for (std::size_t i = 0; i < n.count(); ++i) {
    auto is = std::find_if(wanted.begin(), wanted.end(), [&](const auto& a) { return a.name.text == names[i]; });
    if (is != wanted.end()) {
      auto value = fromInput(n, i, *is, waits);
      if (!value) return waits ? Outcome::waits : Outcome::unknown;
      statics[is->name.text] = *value;
    } else if (n.isTensor(i)) {
      arguments.push_back(n.in(i));
    } else if (!isHandle(n.fact(i).type)) {
      TypeId type = n.t.tensor(n.t.unknownElem(), n.t.unknownShape("s"), n.places.op);
      arguments.push_back(n.t.opaque(n.node.name, type, n.places.op));
    }
  }
  for (const ast::OpAttribute& attribute : wanted) {
    if (statics.count(attribute.name.text)) continue;
    if (auto value = fromAttribute(n, attribute))
      statics[attribute.name.text] = *value;
    else if (!attribute.defaultValue)
      return Outcome::unknown;
  }
  n.giveTypesOnly();
  Outcome outcome = n.give(n.op(name, std::move(arguments), std::move(statics)));
  return outcome == Outcome::done && waits ? Outcome::waits : outcome;
}

}  // namespace axle::tensorflow
