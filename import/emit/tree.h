// The program to be emitted, as a small tree of statements. Passes rewrite it (passes.h), `print` turns it into text.
// Names are symbols, whose text is chosen last (spelling.h), so passes need not avoid clashes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/id.h"
#include "typecheck/types/type.h"

namespace axle::emit {

using NodeId = Id<struct NodeTag>;          // an expression
using SymbolId = Id<struct SymbolTag>;      // a name
using FunctionId = Id<struct FunctionTag>;  // `fn (...) { ... }`

enum class SymbolKind : std::uint8_t {
  value,     // bound by a statement, or a parameter of a function other than the entry
  input,     // a parameter of the entry
  weight,    // a `param`
  function,  // bound at the top level
};

struct Symbol {
  SymbolKind kind = SymbolKind::value;
  std::string origin;  // the node's name in the graph, `block1/conv2d/Conv2D`; an added function's name
  std::string text;    // empty until names are chosen, unless a pass sets it
  std::optional<TypeId> type;
  std::string typeText;  // empty if a size has no name
  std::string role{};    // of a weight: its name in the layer that reads it, `kernel`
};

enum class NodeKind : std::uint8_t {
  symbol,       // `symbol`
  literal,      // `text`: `0.5f32`, `-inf`, `true`, `"same"`; `elem` of a number
  size,         // `text`: arithmetic over names of dimensions
  hole,         // `_`
  list,         // `parts`: a static list
  call,         // of the core operator `text`, or of `symbol`, with the arguments `parts` and `named`
  index,        // `parts[0]` at `items`
  tuple,        // `parts`
  conditional,  // `parts`: condition, value, other value; a branch with statements is a function without parameters
  function,     // `function`
  match,        // `parts[0]` matched with the type `text`; `function`, without parameters, is the body
};

struct IndexItem {
  enum class Kind : std::uint8_t { at, range, ellipsis } kind = Kind::range;
  std::string start, stop, step;  // `at` has a start only; any may be empty
};

struct Named {
  std::string name;
  NodeId value;
};

// An expression. Each node has one place in the tree. Nodes of tensors have the type that the checker inferred.
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

// `a = value`, `a, b = value`. A name that is never read is none.
struct Statement {
  std::vector<SymbolId> names;
  NodeId value;
  std::vector<std::vector<SymbolId>> inner{};  // `a, (b, c) = value`: by name, the names of its parts
};

struct Block {
  std::vector<Statement> statements;
  NodeId result;
};

struct Parameter {
  SymbolId symbol;
  std::string type;  // may be empty
};

struct Function {
  std::vector<Parameter> parameters;
  std::vector<Named> statics;  // with their defaults
  std::string result;          // its type; may be empty
  std::vector<std::string> where;
  Block body;
};

struct Weight {
  SymbolId symbol;
  std::string type;
  std::uint32_t tensor = 0;  // index into the checked program's weights
};

// A function at the top level. `main` is the last.
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

  std::vector<std::string> sizes;                  // names of dimensions, which values must not have
  std::map<std::uint32_t, std::string> sizeNames;  // by variable
  std::vector<std::string> doc;                    // comment lines at the head of the file
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
  NodeId tuple(std::vector<NodeId> parts);                   // returns a single part unchanged
  NodeId call(std::string op, std::vector<NodeId> parts, std::vector<Named> named = {});
  NodeId call(SymbolId function, std::vector<NodeId> parts, std::vector<Named> named = {});
  bool isCall(NodeId id, std::string_view op) const;
  Block& bodyOf(std::size_t function) { return functions[function].body; }
};

// Calls `visit` for the node and all nodes below it, including those of functions, parents first.
template <class Visit>
void walk(Program& program, NodeId root, const Visit& visit);
// The same for all nodes of a block: its statements in order, then its result.
template <class Visit>
void walk(Program& program, const Block& block, const Visit& visit);

// Whether it is a call of `to_f32` or a similar function, which casts (translate.h).
bool isCast(const Program& program, const Node& node);
// Returns the number of reads of each symbol, by its index.
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
