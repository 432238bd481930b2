// What is emitted, before it is text: a small tree of statements. Passes rewrite it (passes.h), `print` writes it down.
// Names are symbols, which get their spelling last (names.h): a pass moves, copies and drops statements and makes
// symbols, and never looks after clashes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "typecheck/types/type.h"

namespace axle::emit {

template <class Tag>
struct Id {
  static constexpr std::uint32_t none = 0xffffffffu;
  std::uint32_t index = none;
  explicit operator bool() const { return index != none; }
  friend auto operator<=>(Id, Id) = default;
};
using NodeId = Id<struct NodeTag>;          // an expression
using SymbolId = Id<struct SymbolTag>;      // what a name stands for
using FunctionId = Id<struct FunctionTag>;  // `fn (...) { ... }`

enum class SymbolKind : std::uint8_t {
  value,     // bound by a statement, or a parameter of a function that is none of the entry's
  input,     // a parameter of the entry
  weight,    // a `param`
  function,  // bound at the top
};

struct Symbol {
  SymbolKind kind = SymbolKind::value;
  std::string wish;  // where it comes from: the node's name in the graph, `block1/conv2d/Conv2D`
  std::string text;  // as written, when names are chosen; a pass may fix it before
  std::optional<TypeId> type;
  std::string typeText;  // as written; empty where it cannot be
  std::string role{};    // of a weight: what the layer that takes it calls it, `kernel`
};

enum class NodeKind : std::uint8_t {
  symbol,       // `symbol`
  literal,      // `text`: `0.5f32`, `-inf`, `true`, `"same"`; of numbers `elem`
  size,         // `text`: arithmetic over names of dimensions
  hole,         // `_`
  list,         // `parts`: a static list
  call,         // of the core operator `text` (infix ones by their spelling), or of `symbol`: `parts`, then `named`
  index,        // `parts[0]` at `items`
  tuple,        // `parts`
  conditional,  // `parts`: condition, value, other value; a side of several statements is a function of nothing
  function,     // `function`
  match,        // `parts[0]` has the type `text`, whose sizes `function`, without parameters, names
};

struct IndexItem {
  enum class Kind : std::uint8_t { at, range, ellipsis } kind = Kind::range;
  std::string start, stop, step;  // `at` has a start only; any may be empty
};

struct Named {
  std::string name;
  NodeId value;
};

// Each has one place in the tree. Those of tensors have the type that the checked program gave them.
struct Node {
  NodeKind kind = NodeKind::hole;
  std::string text;
  SymbolId symbol;
  std::vector<NodeId> parts;
  std::vector<Named> named;
  std::vector<IndexItem> items;
  FunctionId function;
  std::optional<TypeId> type;
  std::optional<Dim> dim;  // of a size
};

// `a = value`, `a, b = value`. A name that nobody reads is none.
struct Statement {
  std::vector<SymbolId> names;
  NodeId value;
  std::vector<std::vector<SymbolId>> inner{};  // `a, (b, c) = value`: of those names whose parts have names
};

struct Block {
  std::vector<Statement> statements;
  NodeId result;
};

struct Parameter {
  SymbolId symbol;
  std::string type;  // as written; none where it is empty
};

struct Function {
  std::vector<Parameter> parameters;
  std::vector<Named> statics;  // with their defaults
  std::string result;          // its type; none where it is empty
  std::vector<std::string> where;
  Block body;
};

struct Weight {
  SymbolId symbol;
  std::string type;
  std::uint32_t tensor = 0;  // index into the checked program's weights
};

// A function that stands at the top. `main` is the last.
struct TopFunction {
  SymbolId symbol;
  FunctionId function;
  std::vector<std::string> doc;          // lines of `///`
  std::vector<std::string> annotations;  // `implements("lstm")`
};

struct Program {
  std::vector<Node> nodes;
  std::vector<Symbol> symbols;
  std::vector<Function> functions;

  std::vector<std::string> sizes;                  // names of dimensions, which no value may take
  std::map<std::uint32_t, std::string> sizeNames;  // by variable
  std::vector<std::string> doc;                    // of the file: comment lines at its head
  std::vector<std::string> imports;                // modules
  std::vector<Weight> weights;
  std::vector<TopFunction> top;

  Node& operator[](NodeId id) { return nodes[id.index]; }
  const Node& operator[](NodeId id) const { return nodes[id.index]; }
  Symbol& operator[](SymbolId id) { return symbols[id.index]; }
  const Symbol& operator[](SymbolId id) const { return symbols[id.index]; }
  Function& operator[](FunctionId id) { return functions[id.index]; }
  const Function& operator[](FunctionId id) const { return functions[id.index]; }

  NodeId add(Node node);
  SymbolId add(Symbol symbol);
  FunctionId add(Function function);
  NodeId name(SymbolId symbol);
  NodeId literal(std::string text);
  NodeId integers(const std::vector<std::int64_t>& values);  // a static list
  NodeId tuple(std::vector<NodeId> parts);                   // of one part: the part itself
  NodeId call(std::string op, std::vector<NodeId> parts, std::vector<Named> named = {});
  NodeId call(SymbolId function, std::vector<NodeId> parts, std::vector<Named> named = {});
  bool isCall(NodeId id, std::string_view op) const;
  Block& bodyOf(std::size_t function) { return functions[function].body; }
};

// Calls `visit` for the node and all below it, those of functions too, each before what is below it.
template <class Visit>
void walk(Program& program, NodeId root, const Visit& visit);
// For all nodes of a block, its statements' in order, then its result's.
template <class Visit>
void walk(Program& program, const Block& block, const Visit& visit);

// Whether it calls a function `to_f32`, which casts (translate.h).
bool isCast(const Program& program, const Node& node);
// How often each symbol is read, by its index.
std::vector<std::uint32_t> countUses(Program& program);

// ----

template <class Visit>
void walk(Program& program, NodeId root, const Visit& visit) {
  std::vector<NodeId> open{root};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (!id) continue;
    visit(id);
    const Node& node = program[id];
    for (auto named = node.named.rbegin(); named != node.named.rend(); ++named) open.push_back(named->value);
    open.insert(open.end(), node.parts.rbegin(), node.parts.rend());
    if (!node.function) continue;
    const Function& function = program[node.function];
    open.push_back(function.body.result);
    for (auto s = function.body.statements.rbegin(); s != function.body.statements.rend(); ++s)
      open.push_back(s->value);
  }
}

template <class Visit>
void walk(Program& program, const Block& block, const Visit& visit) {
  for (std::size_t i = 0; i < block.statements.size(); ++i) walk(program, block.statements[i].value, visit);
  walk(program, block.result, visit);
}

}  // namespace axle::emit
