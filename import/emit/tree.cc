#include "import/emit/tree.h"

namespace axle::emit {

NodeId Program::add(Node node) {
  nodes.push_back(std::move(node));
  return {static_cast<std::uint32_t>(nodes.size() - 1)};
}

SymbolId Program::add(Symbol symbol) {
  symbols.push_back(std::move(symbol));
  return {static_cast<std::uint32_t>(symbols.size() - 1)};
}

FunctionId Program::add(Function function) {
  functions.push_back(std::move(function));
  return {static_cast<std::uint32_t>(functions.size() - 1)};
}

NodeId Program::name(SymbolId symbol) {
  Node node;
  node.kind = NodeKind::symbol;
  node.symbol = symbol;
  node.type = (*this)[symbol].type;
  return add(std::move(node));
}

NodeId Program::literal(std::string text) {
  Node node;
  node.kind = NodeKind::literal;
  node.text = std::move(text);
  return add(std::move(node));
}

NodeId Program::integers(const std::vector<std::int64_t>& values) {
  Node list;
  list.kind = NodeKind::list;
  for (std::int64_t value : values) list.parts.push_back(literal(std::to_string(value)));
  return add(std::move(list));
}

NodeId Program::tuple(std::vector<NodeId> parts) {
  if (parts.size() == 1) return parts.front();
  Node tuple;
  tuple.kind = NodeKind::tuple;
  tuple.parts = std::move(parts);
  return add(std::move(tuple));
}

NodeId Program::call(std::string op, std::vector<NodeId> parts, std::vector<Named> named) {
  Node node;
  node.kind = NodeKind::call;
  node.text = std::move(op);
  node.parts = std::move(parts);
  node.named = std::move(named);
  return add(std::move(node));
}

NodeId Program::call(SymbolId function, std::vector<NodeId> parts, std::vector<Named> named) {
  NodeId id = call(std::string(), std::move(parts), std::move(named));
  (*this)[id].symbol = function;
  return id;
}

bool Program::isCall(NodeId id, std::string_view op) const {
  return id && (*this)[id].kind == NodeKind::call && (*this)[id].text == op;
}

bool isCast(const Program& program, const Node& node) {
  return node.kind == NodeKind::call && node.symbol && node.parts.size() == 1 &&
         program[node.symbol].origin.starts_with("to_");
}

std::vector<std::uint32_t> countUses(Program& program) {
  std::vector<std::uint32_t> uses(program.symbols.size(), 0);
  for (std::size_t i = 0; i < program.top.size(); ++i) {
    const FunctionId function = program.top[i].function;
    walk(program, program[function].body, [&](NodeId id) {
      if (program[id].symbol) ++uses[program[id].symbol.index];
    });
  }
  return uses;
}

}  // namespace axle::emit
