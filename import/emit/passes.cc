#include "import/emit/passes.h"

#include <algorithm>
#include <map>
#include <string>

#include "import/emit/operator_syntax.h"

namespace axle::emit {

namespace {

// In characters, of an expression after nesting; of an operator and its bias.
constexpr std::size_t maxNestedLength = 72, maxLayerLength = 104;

template <class Visit>
void forEachBlock(Program& program, const Visit& visit) {
  for (std::size_t i = 0; i < program.functions.size(); ++i)
    visit(program[FunctionId{static_cast<std::uint32_t>(i)}].body);
}

// Returns the approximate length of an expression as text.
std::size_t lengthOf(const Program& program, NodeId id) {
  const Node& node = program[id];
  std::size_t length = node.text.size() + 2;
  if (node.symbol) {
    const std::string& origin = program[node.symbol].origin;
    const std::size_t slash = origin.rfind('/');
    const bool isWeight = program[node.symbol].kind == SymbolKind::weight;
    length += std::min<std::size_t>(isWeight || slash == origin.npos ? origin.size() : origin.size() - slash, 24);
  }
  for (const IndexItem& item : node.items) length += item.start.size() + item.stop.size() + 3;
  for (NodeId part : node.parts) length += lengthOf(program, part) + 1;
  for (const Named& named : node.named) length += named.name.size() + lengthOf(program, named.value) + 2;
  if (node.kind == NodeKind::function) length += 1000;
  return length;
}

class SingleUseNester {
 public:
  explicit SingleUseNester(Program& program)
      : p_(program), uses_(countUses(program)), computed_(program.symbols.size()) {}

  void run(Block& block) {
    std::map<std::uint32_t, std::size_t> definedBy;  // by symbol read once: the index of its statement
    std::vector<bool> gone(block.statements.size(), false);
    for (std::size_t i = 0; i < block.statements.size(); ++i) {
      Statement& statement = block.statements[i];
      reader_ = statement.names.size() == 1 ? statement.names[0] : SymbolId();
      putAll(block, definedBy, gone, statement.value);
      if (statement.names.size() != 1 || !statement.names[0]) continue;
      computed_[statement.names[0].index] = true;
      if (uses_[statement.names[0].index] == 1) definedBy[statement.names[0].index] = i;
    }
    if (auto last = definedBy.find(p_[block.result].symbol.index);
        p_[block.result].kind == NodeKind::symbol && last != definedBy.end()) {
      block.result = block.statements[last->second].value;
      gone[last->second] = true;
    }
    reader_ = {};
    putAll(block, definedBy, gone, block.result);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < block.statements.size(); ++i)
      if (!gone[i]) {
        if (kept != i) block.statements[kept] = std::move(block.statements[i]);
        ++kept;
      }
    block.statements.resize(kept);
  }

 private:
  void putAll(Block& block, const std::map<std::uint32_t, std::size_t>& definedBy, std::vector<bool>& gone,
              NodeId root) {
    for (std::size_t i = 0; i < p_[root].parts.size(); ++i) put(block, definedBy, gone, root, i, root);
  }

  // Replaces names below a node by their values, except within functions, which would compute them repeatedly.
  void put(Block& block, const std::map<std::uint32_t, std::size_t>& definedBy, std::vector<bool>& gone, NodeId of,
           std::size_t i, NodeId root) {
    const NodeId part = p_[of].parts[i];
    const Node node = p_[part];
    if (node.kind != NodeKind::symbol) {
      for (std::size_t k = 0; k < node.parts.size(); ++k) put(block, definedBy, gone, part, k, root);
      return;
    }
    auto defined = definedBy.find(node.symbol.index);
    if (defined == definedBy.end() || gone[defined->second]) return;
    NodeId value = block.statements[defined->second].value;
    if (p_[value].kind == NodeKind::conditional || p_[value].kind == NodeKind::tuple) return;
    const bool getsBias = of == root && i == 0 && addsBias(root);
    if (lengthOf(p_, root) + lengthOf(p_, value) > (getsBias ? maxLayerLength : maxNestedLength)) return;
    p_[of].parts[i] = value;
    if (getsBias && reader_) p_[reader_].typeText = p_[node.symbol].typeText;
    gone[defined->second] = true;
  }

  // Whether the expression adds a weight, or a parameter, to the result of another operator.
  bool addsBias(NodeId id) const {
    if (!p_.isCall(id, "+")) return false;
    const Node& bias = p_[p_[id].parts[1]];
    return bias.kind == NodeKind::symbol && !computed_[bias.symbol.index];
  }

  Program& p_;
  std::vector<std::uint32_t> uses_;
  std::vector<bool> computed_;  // by symbol: whether a statement computes it
  SymbolId reader_;             // what the statement being visited computes, if it has one name
};

// Orders statements by a walk from the result: each follows the statements that it reads.
class UseOrder {
 public:
  UseOrder(Program& program, Block& block) : p_(program), block_(block), isPlaced_(block.statements.size(), false) {
    for (std::size_t i = 0; i < block.statements.size(); ++i)
      for (SymbolId name : block.statements[i].names)
        if (name) madeBy_[name.index] = i;
  }

  void run() {
    std::vector<Visit> open{{none, readsOf(block_.result)}};
    while (!open.empty()) {
      Visit& visit = open.back();
      if (visit.next < visit.reads.size()) {
        const std::size_t read = visit.reads[visit.next++];
        if (!isPlaced_[read]) open.push_back({read, readsOf(block_.statements[read].value)});
        continue;
      }
      if (visit.statement != none && !isPlaced_[visit.statement]) {
        isPlaced_[visit.statement] = true;
        ordered_.push_back(visit.statement);
      }
      open.pop_back();
    }
    std::vector<Statement> statements;
    for (std::size_t i : ordered_) statements.push_back(std::move(block_.statements[i]));
    block_.statements = std::move(statements);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  struct Visit {
    std::size_t statement;
    std::vector<std::size_t> reads;
    std::size_t next = 0;
  };

  std::vector<std::size_t> readsOf(NodeId root) {
    std::vector<std::size_t> reads;
    walk(p_, root, [&](NodeId id) {
      if (auto made = madeBy_.find(p_[id].symbol.index); made != madeBy_.end()) reads.push_back(made->second);
    });
    return reads;
  }

  Program& p_;
  Block& block_;
  std::map<std::uint32_t, std::size_t> madeBy_;
  std::vector<bool> isPlaced_;
  std::vector<std::size_t> ordered_;
};

class Flattener {
 public:
  Flattener(Program& program, std::vector<Statement>& statements) : p_(program), out_(statements) {}

  // Gives the applications below a node names, with the given `origin`.
  void below(NodeId id, const std::string& origin) {
    const NodeKind kind = p_[id].kind;
    const bool isPlain = kind == NodeKind::call || kind == NodeKind::index || kind == NodeKind::tuple;
    const bool hasHead = kind == NodeKind::conditional || kind == NodeKind::match;
    const std::size_t count = isPlain ? p_[id].parts.size() : hasHead ? 1 : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const NodeId part = p_[id].parts[i];
      below(part, origin);
      if (!isApplied(part)) continue;
      Symbol symbol{SymbolKind::value, origin, {}, p_[part].type, {}};
      const SymbolId name = p_.add(std::move(symbol));
      out_.push_back({{name}, part});
      p_[id].parts[i] = p_.name(name);
    }
  }

 private:
  // Whether it is an application other than a number with its type.
  bool isApplied(NodeId id) const {
    const Node& node = p_[id];
    if (node.kind == NodeKind::index || node.kind == NodeKind::conditional) return true;
    if (node.kind != NodeKind::call) return false;
    return !node.symbol || node.parts.size() != 1 || p_[node.parts[0]].kind != NodeKind::literal;
  }

  Program& p_;
  std::vector<Statement>& out_;
};

}  // namespace

void flatten(Program& program) {
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const FunctionId id{static_cast<std::uint32_t>(f)};
    std::vector<Statement> statements = std::move(program[id].body.statements), flat;
    Flattener flattener(program, flat);
    std::string origin;
    for (Statement& statement : statements) {
      for (SymbolId name : statement.names)
        if (name) origin = program[name].origin;
      flattener.below(statement.value, origin);
      flat.push_back(std::move(statement));
    }
    flattener.below(program[id].body.result, origin);
    program[id].body.statements = std::move(flat);
  }
}

void dropAliases(Program& program) {
  std::map<std::uint32_t, SymbolId> means;
  auto meant = [&](SymbolId symbol) {
    for (auto at = means.find(symbol.index); at != means.end(); at = means.find(symbol.index)) symbol = at->second;
    return symbol;
  };
  forEachBlock(program, [&](Block& block) {
    std::erase_if(block.statements, [&](const Statement& statement) {
      const Node& value = program[statement.value];
      const bool isAlias = statement.names.size() == 1 && statement.names[0] && value.kind == NodeKind::symbol;
      if (isAlias && means.emplace(statement.names[0].index, value.symbol).second) return true;
      return false;
    });
  });
  for (Node& node : program.nodes)
    if (node.symbol) node.symbol = meant(node.symbol);
}

namespace {

// Finds the symbols that the entry's result depends on, through statements and functions.
class NeededSymbols {
 public:
  explicit NeededSymbols(Program& program) : p_(program), definedBy_(program.symbols.size()) {
    is_.resize(program.symbols.size(), false);
    forEachBlock(program, [&](Block& block) {
      for (const Statement& statement : block.statements)
        for (SymbolId name : statement.names)
          if (name) definedBy_[name.index] = statement.value;
    });
    for (const TopFunction& top : program.top) definedBy_[top.symbol.index] = program[top.function].body.result;
    if (program.top.empty()) return;
    open_.push_back(program[program.top.back().function].body.result);
    while (!open_.empty()) {
      const NodeId id = open_.back();
      open_.pop_back();
      if (id) visit(p_[id]);
    }
  }

  bool contains(SymbolId symbol) const { return symbol && is_[symbol.index]; }

 private:
  void visit(const Node& node) {
    if (node.symbol && !is_[node.symbol.index]) {
      is_[node.symbol.index] = true;
      open_.push_back(definedBy_[node.symbol.index]);
    }
    for (const Named& named : node.named) open_.push_back(named.value);
    open_.insert(open_.end(), node.parts.begin(), node.parts.end());
    if (node.function) open_.push_back(p_[node.function].body.result);
  }

  Program& p_;
  std::vector<NodeId> definedBy_;  // by symbol: the value of its statement, the result of its function
  std::vector<bool> is_;           // by symbol
  std::vector<NodeId> open_;
};

}  // namespace

void dropUnread(Program& program) {
  const NeededSymbols needed(program);
  forEachBlock(program, [&](Block& block) {
    std::erase_if(block.statements, [&](const Statement& statement) {
      return std::none_of(statement.names.begin(), statement.names.end(),
                          [&](SymbolId name) { return needed.contains(name); });
    });
    for (Statement& statement : block.statements)
      for (SymbolId& name : statement.names)
        if (!needed.contains(name)) name = SymbolId();
  });
  if (!program.top.empty())
    std::erase_if(program.top, [&, main = program.top.back().symbol](const TopFunction& top) {
      return top.symbol != main && !needed.contains(top.symbol);
    });
  std::erase_if(program.weights, [&](const Weight& weight) { return !needed.contains(weight.symbol); });
}

void nestPatterns(Program& program) {
  const std::vector<std::uint32_t> uses = countUses(program);
  forEachBlock(program, [&](Block& block) {
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> places;  // statement, name
    std::vector<bool> gone(block.statements.size(), false);
    for (std::size_t i = 0; i < block.statements.size(); ++i) {
      Statement& statement = block.statements[i];
      const Node& value = program[statement.value];
      auto place = value.kind == NodeKind::symbol ? places.find(value.symbol.index) : places.end();
      if (place != places.end() && statement.names.size() > 1 && uses[value.symbol.index] == 1) {
        Statement& source = block.statements[place->second.first];
        source.inner.resize(source.names.size());
        source.inner[place->second.second] = std::move(statement.names);
        source.names[place->second.second] = SymbolId();
        gone[i] = true;
        continue;
      }
      for (std::size_t k = 0; k < statement.names.size(); ++k)
        if (statement.names.size() > 1 && statement.names[k]) places[statement.names[k].index] = {i, k};
    }
    std::size_t at = 0;
    std::erase_if(block.statements, [&](const Statement&) { return gone[at++]; });
  });
}

void collapseTuples(Program& program) {
  const std::vector<std::uint32_t> uses = countUses(program);
  std::map<std::vector<SymbolId>, std::vector<NodeId>> tuples;  // tuples of names, by their parts
  for (std::uint32_t i = 0; i < program.nodes.size(); ++i) {
    const Node& node = program.nodes[i];
    std::vector<SymbolId> parts;
    for (NodeId part : node.parts)
      if (program[part].kind == NodeKind::symbol) parts.push_back(program[part].symbol);
    if (node.kind == NodeKind::tuple && parts.size() == node.parts.size()) tuples[parts].push_back(NodeId{i});
  }
  forEachBlock(program, [&](Block& block) {
    std::erase_if(block.statements, [&](const Statement& statement) {
      const Node value = program[statement.value];
      auto written = tuples.find(statement.names);
      if (value.kind != NodeKind::symbol || statement.names.size() < 2 || written == tuples.end()) return false;
      const bool isWhole = std::all_of(statement.names.begin(), statement.names.end(), [&](SymbolId name) {
        return name && uses[name.index] == written->second.size();
      });
      if (!isWhole) return false;
      for (NodeId tuple : written->second) program[tuple] = value;
      return true;
    });
  });
}

void orderWeights(Program& program) {
  std::map<std::uint32_t, std::size_t> order;
  for (std::size_t i = 0; i < program.top.size(); ++i)
    walk(program, program[program.top[program.top.size() - 1 - i].function].body,
         [&](NodeId id) { order.emplace(program[id].symbol.index, order.size()); });
  std::stable_sort(program.weights.begin(), program.weights.end(),
                   [&](const Weight& a, const Weight& b) { return order[a.symbol.index] < order[b.symbol.index]; });
}

namespace {

// Symbols with the same meaning, by symbol.
using Equals = std::vector<SymbolId>;

// Appends the expression as text, for comparison. Returns false if it contains a function.
bool spell(const Program& program, const Equals& equals, NodeId id, std::string& into) {
  const Node& node = program[id];
  if (node.function) return false;
  const SymbolId symbol = node.symbol && node.symbol.index < equals.size() ? equals[node.symbol.index] : node.symbol;
  into += "(" + std::to_string(static_cast<int>(node.kind)) + " " + node.text + "#" + std::to_string(symbol.index);
  for (const IndexItem& item : node.items)
    into += "[" + std::to_string(static_cast<int>(item.kind)) + item.start + ":" + item.stop + ":" + item.step;
  for (NodeId part : node.parts)
    if (!spell(program, equals, part, into)) return false;
  for (const Named& named : node.named) {
    into += "," + named.name + "=";
    if (!spell(program, equals, named.value, into)) return false;
  }
  into += ")";
  return true;
}

}  // namespace

void shareEqualExpressions(Program& program) {
  Equals equals(program.symbols.size());
  for (std::uint32_t i = 0; i < equals.size(); ++i) equals[i] = SymbolId{i};
  bool changed = false;
  forEachBlock(program, [&](Block& block) {
    std::map<std::string, std::size_t> known;
    std::vector<Statement> statements;
    for (Statement& statement : block.statements) {
      std::string text = std::to_string(statement.names.size());
      const NodeKind kind = program[statement.value].kind;
      const bool isApplied = kind == NodeKind::call || kind == NodeKind::index;
      auto first = isApplied && spell(program, equals, statement.value, text)
                       ? known.emplace(std::move(text), statements.size())
                       : std::pair(known.end(), true);
      if (first.second) {
        statements.push_back(std::move(statement));
        continue;
      }
      changed = true;
      for (std::size_t k = 0; k < statement.names.size(); ++k) {
        SymbolId& same = statements[first.first->second].names[k];
        if (!same) std::swap(same, statement.names[k]);
        if (!statement.names[k]) continue;
        equals[statement.names[k].index] = same;
        statements.push_back({{statement.names[k]}, program.name(same)});
      }
    }
    block.statements = std::move(statements);
  });
  if (changed) tidy(program);
}

void nestSingleUses(Program& program) {
  SingleUseNester nester(program);
  forEachBlock(program, [&](Block& block) { nester.run(block); });
}

void orderByUse(Program& program) {
  forEachBlock(program, [&](Block& block) { UseOrder(program, block).run(); });
}

void tidy(Program& program) {
  dropAliases(program);
  dropUnread(program);
  orderByUse(program);
}

}  // namespace axle::emit
