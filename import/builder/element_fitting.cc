#include "import/builder/element_fitting.h"

#include <algorithm>
#include <iterator>

namespace axle {

std::optional<Elem> elementOfValue(GraphTyper& typer, TypedId value) {
  const TypeTerm& type = typer.solution().types[typer.typeOf(value)];
  ElemTerm elem = typer.solution().resolve(type.elem);
  return type.kind == TypeKind::tensor && !elem.isVar ? std::optional(elem.elem) : std::nullopt;
}

namespace {

// Returns the element variable of the parameter that takes an argument; the last parameter takes all further ones.
std::string elementVariable(const OperatorTable::Entry& entry, std::size_t argument) {
  std::vector<const ast::OpParameter*> tensors;
  for (const ast::OpParameter& parameter : entry.decl->parameters)
    if (parameter.type) tensors.push_back(&parameter);
  if (tensors.empty()) return {};
  const auto& node = (*entry.module)[tensors[std::min(argument, tensors.size() - 1)]->type].node;
  const auto* tensor = std::get_if<ast::TypeTensor>(&node);
  return tensor ? tensor->elem : std::string();
}

std::optional<ElemClass> elementClassNamed(std::string_view name) {
  for (ElemClass elemClass : {ElemClass::eq, ElemClass::num, ElemClass::floating, ElemClass::integer})
    if (axle::name(elemClass) == name) return elemClass;
  return std::nullopt;
}

}  // namespace

TypedId opaqueWithElement(GraphTyper& typer, TypedId value, ElemTerm elem, const std::string& name, Span at) {
  const TypeTerm type = typer.solution().types[typer.typeOf(value)];
  Shape shape = type.kind == TypeKind::tensor ? type.shape : typer.unknownShape("s");
  return typer.opaque(name, typer.tensor(elem, std::move(shape), at), at);
}

bool fitElements(GraphTyper& typer, std::string_view op, std::vector<TypedId>& arguments, bool isTypeOnly,
                 const std::string& name, Span at) {
  auto found = typer.checked().operators.find(op, arguments.size());
  if (!found) return false;
  const OperatorTable::Entry& entry = typer.checked().operators[*found];
  bool hasReplaced = false;
  for (const ast::Fact& fact : entry.decl->where) {
    const auto* wanted = std::get_if<ast::FactClass>(&fact.node);
    auto elemClass = wanted ? elementClassNamed(wanted->className) : std::nullopt;
    if (!elemClass) continue;
    std::vector<std::size_t> sharing;
    bool isUnfit = false;
    std::optional<Elem> first;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (elementVariable(entry, i) != wanted->variable) continue;
      sharing.push_back(i);
      auto elem = elementOfValue(typer, arguments[i]);
      isUnfit |= elem && !contains(*elemClass, *elem);
      isUnfit |= (isTypeOnly || hasReplaced) && elem && first && *elem != *first;
      if (elem) first = elem;
    }
    const bool isFloat = *elemClass == ElemClass::integer && first && contains(ElemClass::floating, *first);
    if (!isUnfit || (isFloat && !isTypeOnly && !hasReplaced)) continue;
    hasReplaced = true;
    ElemTerm elem = ElemTerm::of(*elemClass == ElemClass::integer ? Elem::i32 : Elem::f32);
    for (std::size_t i : sharing) arguments[i] = opaqueWithElement(typer, arguments[i], elem, name, at);
  }
  return hasReplaced;
}

}  // namespace axle
