#include "import/tensorflow/operators/rule.h"

#include <algorithm>
#include <unordered_map>

#include "import/tensorflow/codes.h"
#include "import/tensorflow/registry.h"

namespace axle::tensorflow {

std::optional<Elem> elementOf(Type type) {
  if (auto element = info(type).element) return element;
  switch (type) {
    case Type::c64:
      return Elem::f32;
    case Type::c128:
      return Elem::f64;
    case Type::qint8:
      return Elem::i8;
    case Type::quint8:
      return Elem::u8;
    case Type::qint16:
      return Elem::i16;
    case Type::quint16:
      return Elem::u16;
    case Type::qint32:
      return Elem::i32;
    default:
      return std::nullopt;
  }
}

TypeId tensorType(GraphTyper& t, Type type, Shape shape, Span at) {
  if (isComplex(type)) shape.push_back(ShapePart::of(t.constant(2)));
  auto elem = elementOf(type);
  return t.tensor(elem ? ElemTerm::of(*elem) : t.unknownElem(), std::move(shape), at);
}

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

std::vector<TypedId> RuleNode::ins(std::size_t from) const {
  std::vector<TypedId> values;
  for (std::size_t i = from; i < count(); ++i) values.push_back(in(i));
  return values;
}

std::optional<std::vector<Dim>> RuleNode::dims(std::size_t i) const {
  if (!isTensor(i)) return std::nullopt;
  const TypeTerm& type = t.solution().types[t.typeOf(in(i))];
  if (type.kind != TypeKind::tensor) return std::nullopt;
  std::vector<Dim> out;
  for (const ShapePart& part : type.shape) {
    if (part.isVar) return std::nullopt;
    out.push_back(part.dim);
  }
  if (isComplex(fact(i).type) && !out.empty()) out.pop_back();
  return out;
}

std::optional<std::size_t> RuleNode::rank(std::size_t i) const {
  auto found = dims(i);
  return found ? std::optional(found->size()) : std::nullopt;
}

std::optional<Known> RuleNode::known(std::size_t i) const {
  if (i >= count() || !fact(i).known) return std::nullopt;
  Known known = *fact(i).known;
  for (Dim& d : known.elements) d = t.solution().resolve(d);
  return known;
}

std::optional<std::vector<std::int64_t>> RuleNode::numbers(std::size_t i) const {
  auto value = known(i);
  return value ? tensorflow::numbers(*value, t.solution().dims) : std::nullopt;
}

std::optional<std::int64_t> RuleNode::number(std::size_t i) const {
  auto value = numbers(i);
  return value && value->size() == 1 ? std::optional(value->front()) : std::nullopt;
}

std::optional<double> RuleNode::real(std::size_t i) const {
  auto value = known(i);
  auto values = value ? reals(*value, t.solution().dims) : std::nullopt;
  return values && values->size() == 1 ? std::optional(values->front()) : std::nullopt;
}

std::optional<std::vector<Dim>> RuleNode::sizes(std::size_t i) const {
  DimStore& store = t.solution().dims;
  auto value = known(i);
  if (!value) {
    // Of a vector whose elements are not followed, their number is known all the same.
    auto its = dims(i);
    auto length = its && its->size() == 1 ? store.asConstant(its->front()) : std::nullopt;
    if (!length || *length > mostKnown) return std::nullopt;
    std::vector<Dim> open;
    for (std::int64_t k = 0; k < *length; ++k) open.push_back(t.unknownSize("d"));
    return open;
  }
  if (value->shape.size() > 1) return std::nullopt;
  for (Dim& d : value->elements) {
    auto vars = store.variables(d);
    bool open = std::any_of(vars.begin(), vars.end(), [&](DimVar v) { return !t.solution().dimVars[v.index].isSize; });
    if (open) d = t.unknownSize("d");
  }
  return value->elements;
}

const Value* RuleNode::attribute(std::string_view name) const { return attributeIn(node, name, fromCall_); }

std::int64_t RuleNode::integer(std::string_view name, std::int64_t otherwise) const {
  const Value* value = attribute(name);
  const auto* found = value ? std::get_if<std::int64_t>(value) : nullptr;
  return found ? *found : otherwise;
}

bool RuleNode::flag(std::string_view name) const {
  const Value* value = attribute(name);
  const auto* found = value ? std::get_if<bool>(value) : nullptr;
  return found && *found;
}

float RuleNode::real(std::string_view name, float otherwise) const {
  const Value* value = attribute(name);
  const auto* found = value ? std::get_if<float>(value) : nullptr;
  return found ? *found : otherwise;
}

std::string RuleNode::text(std::string_view name) const {
  const Value* value = attribute(name);
  const auto* found = value ? std::get_if<std::string>(value) : nullptr;
  return found ? *found : std::string();
}

std::vector<std::int64_t> RuleNode::integers(std::string_view name) const {
  std::vector<std::int64_t> out;
  const Value* value = attribute(name);
  if (const auto* items = value ? std::get_if<Values>(value) : nullptr)
    for (const Value& item : *items)
      if (const auto* number = std::get_if<std::int64_t>(&item)) out.push_back(*number);
  return out;
}

std::optional<Type> RuleNode::type(std::string_view name) const {
  const Value* value = attribute(name);
  const auto* found = value ? std::get_if<Type>(value) : nullptr;
  return found ? std::optional(*found) : std::nullopt;
}

const PartialShape* RuleNode::shape(std::string_view name) const {
  const Value* value = attribute(name);
  return value ? std::get_if<PartialShape>(value) : nullptr;
}

TypedId RuleNode::twin(TypedId value, ElemTerm elem) {
  const TypeTerm type = t.solution().types[t.typeOf(value)];
  Shape shape = type.kind == TypeKind::tensor ? type.shape : t.unknownShape("s");
  return t.opaque(node.name, t.tensor(elem, std::move(shape), places.op), places.op);
}

void RuleNode::dropComplexAxes() {
  for (const OutletFact*& input : inputs_) {
    if (!isComplex(input->type) || !input->value) continue;
    typesOnly_ = true;
    ElemTerm elem = ElemTerm::of(*elementOf(input->type));
    Shape shape = t.unknownShape("s");
    t.unify(tensorType(t, input->type, shape, places.op), t.typeOf(input->value), places.op, "`" + node.op + "`");
    OutletFact part;
    part.type = input->type == Type::c64 ? Type::f32 : Type::f64;
    part.value = t.opaque(node.name, t.tensor(elem, std::move(shape), places.op), places.op);
    parts_.push_back(std::move(part));
    input = &parts_.back();
  }
}

// Arguments that share an element variable of the signature share an element that its class has.
void RuleNode::fit(std::string_view core, std::vector<TypedId>& arguments) {
  auto found = t.checked().operators.find(core, arguments.size());
  if (!found) return;
  const OperatorTable::Entry& entry = t.checked().operators[*found];
  auto elemOf = [&](TypedId value) -> std::optional<Elem> {
    const TypeTerm& type = t.solution().types[t.typeOf(value)];
    ElemTerm elem = t.solution().resolve(type.elem);
    return type.kind == TypeKind::tensor && !elem.isVar ? std::optional(elem.elem) : std::nullopt;
  };
  auto variableOf = [&](std::size_t argument) -> std::string {
    const auto& parameters = entry.decl->parameters;
    std::vector<const ast::OpParameter*> tensors;
    for (const ast::OpParameter& p : parameters)
      if (p.type) tensors.push_back(&p);
    if (tensors.empty()) return {};
    const auto& node = (*entry.module)[tensors[std::min(argument, tensors.size() - 1)]->type].node;
    const auto* tensor = std::get_if<ast::TypeTensor>(&node);
    return tensor ? tensor->elem : std::string();
  };
  for (const ast::Fact& fact : entry.decl->where) {
    const auto* wanted = std::get_if<ast::FactClass>(&fact.node);
    if (!wanted) continue;
    static constexpr ElemClass classes[] = {ElemClass::eq, ElemClass::num, ElemClass::floating, ElemClass::integer};
    auto elemClass = std::find_if(std::begin(classes), std::end(classes),
                                  [&](ElemClass c) { return wanted->className == axle::name(c); });
    if (elemClass == std::end(classes)) continue;
    std::vector<std::size_t> sharing;
    bool unfit = false;
    std::optional<Elem> first;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (variableOf(i) != wanted->variable) continue;
      sharing.push_back(i);
      auto elem = elemOf(arguments[i]);
      unfit |= elem && !contains(*elemClass, *elem);
      unfit |= typesOnly_ && elem && first && *elem != *first;
      if (elem) first = elem;
    }
    // A float that stands where only whole numbers have a meaning is no other kernel's business.
    bool isFloat = *elemClass == ElemClass::integer && first && contains(ElemClass::floating, *first);
    if (!unfit || (isFloat && !typesOnly_)) continue;
    typesOnly_ = true;
    ElemTerm elem = ElemTerm::of(*elemClass == ElemClass::integer ? Elem::i32 : Elem::f32);
    for (std::size_t i : sharing) arguments[i] = twin(arguments[i], elem);
  }
}

std::optional<TypedId> RuleNode::op(std::string_view name, std::vector<TypedId> arguments, Statics statics) {
  fit(name, arguments);
  return t.apply(name, places.op, std::move(arguments), std::move(statics), "`" + node.op + "`");
}

Outcome RuleNode::fail(std::string message, std::string label, std::vector<std::string> notes) {
  Diagnostic d;
  d.code = &codes::nodeMisfit;
  d.message = std::move(message);
  d.primary = {places.op, std::move(label)};
  d.notes = std::move(notes);
  t.tell(std::move(d));
  return Outcome::failed;
}

Outcome RuleNode::give(std::optional<TypedId> value) {
  if (!value) return Outcome::failed;
  return give(std::vector<TypedId>{*value});
}

Outcome RuleNode::give(std::vector<TypedId> values) {
  if (!typesOnly_) {
    results = std::move(values);
    return Outcome::done;
  }
  for (TypedId value : values) {
    const TypeTerm type = t.solution().types[t.typeOf(value)];
    for (TypeId part : type.kind == TypeKind::tuple ? type.parts : std::vector<TypeId>{t.typeOf(value)}) {
      const TypeTerm& term = t.solution().types[t.solution().resolve(part)];
      Shape shape = term.kind == TypeKind::tensor ? term.shape : t.unknownShape("s");
      if (Outcome outcome = giveShape(std::move(shape), results.size()); outcome != Outcome::done) return outcome;
    }
  }
  return Outcome::done;
}

Outcome RuleNode::giveShape(Shape shape, std::size_t port) {
  std::vector<Type> types = outletTypes(node, fromCall_);
  if (port != results.size() || port >= types.size() || !elementOf(types[port])) return Outcome::unknown;
  results.push_back(t.opaque(node.name, tensorType(t, types[port], std::move(shape), places.name), places.name));
  return Outcome::done;
}

Outcome same(RuleNode& n, std::string_view core) {
  for (std::size_t i = 0; i < n.count(); ++i)
    if (!n.isTensor(i)) return Outcome::unknown;
  return n.give(n.op(core, n.ins()));
}

namespace {

template <class Row>
using Index = std::unordered_map<std::string_view, const Row*>;

Index<Rule> indexRules() {
  Index<Rule> index;
  for (std::span<const Rule> family : allRules())
    for (const Rule& row : family) index.emplace(row.op, &row);
  return index;
}

template <class Row>
const Row* find(const Index<Row>& index, std::string_view op) {
  auto found = index.find(op);
  return found == index.end() ? nullptr : found->second;
}

}  // namespace

std::span<const std::span<const Rule>> allRules() {
  static const std::span<const Rule> families[] = {elementwiseRules(), arrayRules(),   windowRules(), linearRules(),
                                                   reductionRules(),   imageRules(),   signalRules(), numericRules(),
                                                   hostRules(),        sparseRules(),  randomRules(), gradientRules(),
                                                   quantizedRules(),   trainingRules()};
  return families;
}

const Rule* ruleNamed(std::string_view op) {
  static const Index<Rule> index = indexRules();
  return find(index, op);
}

}  // namespace axle::tensorflow
