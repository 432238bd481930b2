#include "import/emit/shapes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace axle::emit {

std::optional<Shape> Shapes::shape(std::optional<TypeId> type) const {
  if (!type) return std::nullopt;
  solution_.restartSteps();
  const TypeTerm term = solution_.types[solution_.resolve(*type)];
  if (term.kind != TypeKind::tensor) return std::nullopt;
  return solution_.resolve(term.shape);
}

std::optional<std::vector<Dim>> Shapes::sizes(std::optional<TypeId> type) const {
  auto parts = shape(type);
  if (!parts) return std::nullopt;
  std::vector<Dim> sizes;
  for (const ShapePart& part : *parts) {
    if (part.isVar) return std::nullopt;
    sizes.push_back(solution_.resolve(part.dim));
  }
  return sizes;
}

std::optional<Elem> Shapes::elem(std::optional<TypeId> type) const {
  if (!type) return std::nullopt;
  solution_.restartSteps();
  const TypeTerm& term = solution_.types[solution_.resolve(*type)];
  if (term.kind != TypeKind::tensor) return std::nullopt;
  const ElemTerm elem = solution_.resolve(term.elem);
  if (elem.isVar) return std::nullopt;
  return elem.elem;
}

bool Shapes::haveSameShape(std::optional<TypeId> a, std::optional<TypeId> b) const {
  auto x = sizes(a), y = sizes(b);
  return x && y && *x == *y;
}

bool Shapes::areSame(std::optional<TypeId> a, std::optional<TypeId> b) const {
  auto x = elem(a), y = elem(b);
  return x && y && *x == *y && haveSameShape(a, b);
}

std::optional<std::string> Shapes::text(const Program& program, Dim size) const {
  for (DimVar v : solution_.dims.variables(size))
    if (!program.sizeNames.count(v.index)) return std::nullopt;
  return solution_.dims.print(size, [&](DimVar v) { return program.sizeNames.at(v.index); });
}

std::optional<NodeId> Shapes::list(Program& program, const std::vector<Dim>& sizes) const {
  Node list;
  list.kind = NodeKind::list;
  for (Dim size : sizes) {
    auto its = text(program, size);
    if (!its) return std::nullopt;
    Node item;
    item.kind = NodeKind::size;
    item.text = *its;
    item.dim = size;
    list.parts.push_back(program.add(std::move(item)));
  }
  return program.add(std::move(list));
}

TypeId Shapes::tensor(Elem elem, const std::vector<Dim>& sizes) const {
  TypeTerm term;
  term.kind = TypeKind::tensor;
  term.elem = ElemTerm::of(elem);
  for (Dim size : sizes) term.shape.push_back(ShapePart::of(size));
  return solution_.types.add(std::move(term));
}

// ---- definitions

Definitions::Definitions(Program& program) : bySymbol_(program.symbols.size()) {
  for (const Function& function : program.functions)
    for (const Statement& statement : function.body.statements)
      for (std::size_t i = 0; i < statement.names.size(); ++i)
        if (statement.names[i]) bySymbol_[statement.names[i].index] = {statement.value, i, statement.names.size() == 1};
}

const Definitions::Definition* Definitions::find(SymbolId symbol) const {
  if (!symbol || symbol.index >= bySymbol_.size() || !bySymbol_[symbol.index].value) return nullptr;
  return &bySymbol_[symbol.index];
}

NodeId Definitions::meant(const Program& program, NodeId id) const {
  while (program[id].kind == NodeKind::symbol) {
    const Definition* its = find(program[id].symbol);
    if (!its || !its->isWhole) break;
    id = its->value;
  }
  return id;
}

// ---- nodes

NodeId copied(Program& program, NodeId id) {
  if (!id) return id;
  Node node = program[id];
  for (NodeId& part : node.parts) part = copied(program, part);
  for (Named& named : node.named) named.value = copied(program, named.value);
  return program.add(std::move(node));
}

NodeId withoutAscription(const Program& program, NodeId id) {
  while (program[id].kind == NodeKind::call && program[id].symbol && program[id].parts.size() == 1) {
    const std::string& name = program[program[id].symbol].origin;
    if (name != "scalar" && !name.starts_with("as_")) break;
    id = program[id].parts[0];
  }
  return id;
}

std::optional<double> numberOf(const Program& program, NodeId id) {
  const Node& node = program[withoutAscription(program, id)];
  if (node.kind != NodeKind::literal && node.kind != NodeKind::size) return std::nullopt;
  std::string_view text = node.text;
  if (text == "inf") return HUGE_VAL;
  if (text == "-inf") return -HUGE_VAL;
  const bool isNegative = text.starts_with('-');
  if (isNegative) text.remove_prefix(1);
  double value = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc()) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (!rest.empty() && !elemNamed(rest)) return std::nullopt;
  return isNegative ? -value : value;
}

bool isSameNumber(double number, const Program& program, NodeId literal) {
  auto is = numberOf(program, literal);
  if (!is || *is == number) return is.has_value();
  const bool isWide = program[withoutAscription(program, literal)].text.ends_with("f64");
  return !isWide && static_cast<float>(*is) == static_cast<float>(number);
}

std::optional<std::vector<std::int64_t>> integersOf(const Program& program, NodeId id) {
  if (!id) return std::nullopt;
  const Node& node = program[id];
  std::vector<std::int64_t> all;
  for (NodeId part : node.kind == NodeKind::list ? node.parts : std::vector<NodeId>{id}) {
    auto number = numberOf(program, part);
    if (!number) return std::nullopt;
    all.push_back(static_cast<std::int64_t>(*number));
  }
  return all;
}

NodeId namedOf(const Program& program, NodeId call, std::string_view name) {
  for (const Named& named : program[call].named)
    if (named.name == name) return named.value;
  return {};
}

}  // namespace axle::emit
