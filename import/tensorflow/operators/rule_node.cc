#include "import/tensorflow/operators/rule_node.h"

#include <algorithm>
#include <utility>

#include "import/builder/element_fitting.h"
#include "import/tensorflow/problems.h"

namespace axle::tensorflow {

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

std::optional<Known> RuleNode::knownVector(std::size_t i) const {
  if (auto value = known(i)) return value;
  auto its = dims(i);
  if (!its || its->size() != 1) return std::nullopt;
  auto length = t.solution().dims.asConstant(its->front());
  if (!length || *length > mostKnown) return std::nullopt;
  Known open{{*length}, {}};
  for (std::int64_t k = 0; k < *length; ++k) open.elements.push_back(t.unknownInteger("k"));
  return open;
}

std::optional<std::vector<std::int64_t>> RuleNode::numbers(std::size_t i) const {
  auto value = known(i);
  return value ? wholeNumbers(*value, t.solution().dims) : std::nullopt;
}

std::optional<std::int64_t> RuleNode::number(std::size_t i) const {
  auto value = numbers(i);
  return value && value->size() == 1 ? std::optional(value->front()) : std::nullopt;
}

std::optional<double> RuleNode::real(std::size_t i) const {
  auto value = known(i);
  auto values = value ? realNumbers(*value, t.solution().dims) : std::nullopt;
  return values && values->size() == 1 ? std::optional(values->front()) : std::nullopt;
}

std::optional<std::vector<Dim>> RuleNode::sizes(std::size_t i) const {
  DimStore& store = t.solution().dims;
  auto value = known(i);
  if (!value) {
    // The length of a vector may be known even if its elements are not.
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

bool RuleNode::equate(TypeId a, TypeId b, std::optional<Span> at) {
  return t.unify(a, b, at.value_or(places.op), subject());
}

bool RuleNode::equate(Dim a, Dim b) { return t.equate(a, b, places.op, subject()); }

bool RuleNode::requireInput(std::size_t i, TypeId wanted, std::optional<Span> at) {
  return equate(wanted, t.typeOf(in(i)), at);
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

TypedId RuleNode::opaqueLike(TypedId value, ElemTerm elem) {
  return opaqueWithElement(t, value, elem, node.name, places.op);
}

void RuleNode::dropComplexAxes() {
  for (const OutletFact*& input : inputs_) {
    if (!isComplex(input->type) || !input->value) continue;
    typesOnly_ = true;
    ElemTerm elem = ElemTerm::of(*elementOf(input->type));
    Shape shape = t.unknownShape("s");
    equate(tensorType(t, input->type, shape, places.op), t.typeOf(input->value));
    OutletFact part;
    part.type = input->type == Type::c64 ? Type::f32 : Type::f64;
    part.value = t.opaque(node.name, t.tensor(elem, std::move(shape), places.op), places.op);
    parts_.push_back(std::move(part));
    input = &parts_.back();
  }
}

std::optional<TypedId> RuleNode::op(std::string_view name, std::vector<TypedId> arguments, Statics statics) {
  typesOnly_ |= fitElements(t, name, arguments, typesOnly_, node.name, places.op);
  return t.apply(name, places.op, std::move(arguments), std::move(statics), subject());
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

}  // namespace axle::tensorflow
