#include "import/emit/loop_recognition.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "import/emit/passes.h"
#include "import/emit/shapes.h"

namespace axle::emit {

namespace {

enum class StateRole : std::uint8_t { invariant, counter, rows, carried };

// One part of a loop's state. An invariant does not change, a counter is incremented, and one of the rows is written in
// each step.
struct StatePart {
  StateRole role = StateRole::carried;
  NodeId first, next;      // the values before the loop and after a step
  SymbolId name;           // in the body; none if nothing reads it
  SymbolId result;         // after the loop; none if nothing reads it
  NodeId row;              // of rows: the row that a step writes
  bool isLastRow = false;  // an array of one row that every step overwrites
};

class LoopRecognizer {
 public:
  LoopRecognizer(Program& program, Checked& checked)
      : p_(program), shapes_(checked), definitions_(program), uses_(countUses(program)) {}

  // Rewrites the statement, whose value is a `while`. Returns false if it must stay.
  bool run(Block& block, std::size_t at) {
    statement_ = &block.statements[at];
    if (!read() || !classify()) return false;
    findReads();
    if (reads_.empty()) return false;
    keepUsedCounters();
    write(block, at);
    return true;
  }

 private:
  const Node& value() const { return p_[statement_->value]; }

  // ---- the parts of the `while`

  // Returns the names of `a, b = state;`, the first statement of a function.
  std::optional<std::vector<SymbolId>> statesOf(FunctionId id, std::size_t count) const {
    const Function& function = p_[id];
    if (function.parameters.size() != 1 || function.body.statements.empty()) return std::nullopt;
    const Statement& head = function.body.statements.front();
    const Node& source = p_[head.value];
    const bool isState = source.kind == NodeKind::symbol && source.symbol == function.parameters[0].symbol;
    if (!isState || head.names.size() != count || uses_[source.symbol.index] != 1) return std::nullopt;
    return head.names;
  }

  bool read() {
    const Node& loop = value();
    if (loop.parts.size() != 3 || !p_[loop.parts[0]].function || !p_[loop.parts[1]].function) return false;
    const Node& first = p_[loop.parts[2]];
    condition_ = p_[loop.parts[0]].function;
    body_ = p_[loop.parts[1]].function;
    const Node& next = p_[p_[body_].body.result];
    if (first.kind != NodeKind::tuple || next.kind != NodeKind::tuple) return false;
    if (first.parts.size() != statement_->names.size() || next.parts.size() != first.parts.size()) return false;
    auto names = statesOf(body_, first.parts.size()), conditionStates = statesOf(condition_, first.parts.size());
    if (!names || !conditionStates) return false;
    conditionStates_ = *conditionStates;
    for (std::size_t i = 0; i < first.parts.size(); ++i)
      parts_.push_back(
          {StateRole::carried, first.parts[i], next.parts[i], (*names)[i], statement_->names[i], {}, false});
    return true;
  }

  bool isName(NodeId id, SymbolId symbol) const {
    return symbol && p_[id].kind == NodeKind::symbol && p_[id].symbol == symbol;
  }

  bool addsOne(NodeId id, SymbolId to) const {
    const NodeId sum = definitions_.meant(p_, id);
    if (!p_.isCall(sum, "+") || p_[sum].parts.size() != 2) return false;
    const std::vector<NodeId>& terms = p_[sum].parts;
    return (isName(terms[0], to) && numberOf(p_, terms[1]) == 1) ||
           (isName(terms[1], to) && numberOf(p_, terms[0]) == 1);
  }

  bool classify() {
    for (StatePart& part : parts_) {
      if (isName(part.next, part.name)) part.role = StateRole::invariant;
      if (addsOne(part.next, part.name) && numberOf(p_, definitions_.meant(p_, part.first)) == 0)
        part.role = StateRole::counter;
    }
    if (!findTripCount()) return false;
    for (StatePart& part : parts_)
      if (part.role == StateRole::carried) classifyRows(part);
    return true;
  }

  // Finds the number of steps. Each condition compares a counter with an invariant number.
  bool findTripCount() {
    std::vector<NodeId> open{p_[condition_].body.result};
    while (!open.empty()) {
      const NodeId id = definitions_.meant(p_, open.back());
      open.pop_back();
      if (p_.isCall(id, "and")) {
        open.insert(open.end(), p_[id].parts.begin(), p_[id].parts.end());
        continue;
      }
      if (!p_.isCall(id, "<")) return false;
      auto counter = partOfCondition(p_[id].parts[0]);
      if (!counter || parts_[*counter].role != StateRole::counter) return false;
      auto bound = numberAt(p_[id].parts[1]);
      if (!bound || (tripCount_ && *tripCount_ != *bound)) return false;
      tripCount_ = bound;
    }
    return tripCount_.has_value();
  }

  std::optional<std::size_t> partOfCondition(NodeId id) const {
    for (std::size_t i = 0; i < conditionStates_.size(); ++i)
      if (isName(id, conditionStates_[i])) return i;
    return std::nullopt;
  }

  // Returns an integer as a size, if it is one.
  std::optional<Dim> numberAt(NodeId id) const {
    id = withoutAscription(p_, definitions_.meant(p_, id));
    if (auto part = partOfCondition(id))
      return parts_[*part].role == StateRole::invariant ? numberAt(parts_[*part].first) : std::nullopt;
    const Node& node = p_[id];
    if (node.dim) return node.dim;
    if (auto number = numberOf(p_, id)) return shapes_.dims().constant(static_cast<std::int64_t>(*number));
    if (node.kind == NodeKind::index) return elementAt(node);
    if (node.kind != NodeKind::call || node.parts.empty()) return std::nullopt;
    if (node.text == "minimum") return leastAt(node.parts[0], node.parts[1]);
    if (node.symbol || node.text == "cast" || node.text == "squeeze" || node.text == "reshape")
      return numberAt(node.parts[0]);
    return std::nullopt;
  }

  // Simplifies min(n, n) and min(n, max(n, m)) to n.
  std::optional<Dim> leastAt(NodeId a, NodeId b) const {
    for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
      auto is = numberAt(one);
      const NodeId most = definitions_.meant(p_, other);
      if (is && numberAt(other) == is) return is;
      if (!is || !p_.isCall(most, "maximum")) continue;
      for (NodeId part : p_[most].parts)
        if (numberAt(part) == is) return is;
    }
    return std::nullopt;
  }

  // Returns the size that `shape(x)[i]` gives.
  std::optional<Dim> elementAt(const Node& index) const {
    const IndexItem& item = index.items.front();
    if (index.items.size() != 1 || item.kind != IndexItem::Kind::at) return std::nullopt;
    NodeId source = definitions_.meant(p_, index.parts[0]);
    while (p_[source].kind == NodeKind::call && p_[source].symbol && p_[source].parts.size() == 1)
      source = definitions_.meant(p_, p_[source].parts[0]);
    if (!p_.isCall(source, "shape")) return std::nullopt;
    auto sizes = shapes_.sizes(p_[p_[source].parts[0]].type);
    const std::size_t at = std::strtoull(item.start.c_str(), nullptr, 10);
    return sizes && at < sizes->size() ? std::optional((*sizes)[at]) : std::nullopt;
  }

  bool isCounter(NodeId id) const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const StatePart& part) { return part.role == StateRole::counter && isName(id, part.name); });
  }

  std::optional<Dim> rowsOf(NodeId id) const {
    auto sizes = shapes_.sizes(p_[id].type);
    return sizes && !sizes->empty() ? std::optional(sizes->front()) : std::nullopt;
  }

  // Classifies a part that is an array of which each step writes one row, at the counter, or an array of one row.
  void classifyRows(StatePart& part) {
    const NodeId write = definitions_.meant(p_, part.next);
    if (!p_.isCall(write, "scatter_update") || !isName(p_[write].parts[0], part.name)) return;
    if (uses_[part.name.index] != 1 || isReadByCondition(part)) return;
    NodeId place = definitions_.meant(p_, p_[write].parts[1]);
    if (!p_.isCall(place, "reshape") && !p_.isCall(place, "expand")) return;
    place = p_[place].parts[0];
    const NodeId update = definitions_.meant(p_, p_[write].parts[2]);
    auto rows = rowsOf(part.first), written = rowsOf(p_[write].parts[2]);
    if (!rows || !written || shapes_.constant(*written) != 1) return;
    if (isCounter(place) && *rows == *tripCount_ && p_.isCall(update, "expand")) {
      part.role = StateRole::rows;
      part.row = p_[update].parts[0];
      return;
    }
    if (shapes_.constant(*rows) != 1 || numberOf(p_, definitions_.meant(p_, place)) != 0) return;
    part.isLastRow = true;
    part.row = p_[update].parts[0];
    part.next = p_[write].parts[2];
  }

  bool isReadByCondition(const StatePart& part) const {
    const std::size_t at = static_cast<std::size_t>(&part - parts_.data());
    return conditionStates_[at] && uses_[conditionStates_[at].index] > 0;
  }

  // ---- rows that a step reads

  struct Read {
    std::size_t statement;  // of the body
    NodeId from;
    std::optional<TypeId> type;
  };

  void findReads() {
    const Block& body = p_[body_].body;
    for (std::size_t i = 0; i < body.statements.size(); ++i) {
      const NodeId id = body.statements[i].value;
      if (!p_.isCall(id, "gather") || namedOf(p_, id, "axis") || !isCounter(p_[id].parts[1])) continue;
      NodeId from = p_[id].parts[0];
      if (p_[from].kind != NodeKind::symbol) continue;
      auto its =
          std::find_if(parts_.begin(), parts_.end(), [&](const StatePart& part) { return isName(from, part.name); });
      if (its != parts_.end() && its->role != StateRole::invariant) continue;
      if (its != parts_.end()) from = its->first;
      if (p_[from].kind != NodeKind::symbol || rowsOf(p_[id].parts[0]) != tripCount_) continue;
      if (its == parts_.end() && isInside(p_[from].symbol)) continue;
      reads_.push_back({i, from, p_[id].type});
    }
  }

  bool isInside(SymbolId symbol) const {
    for (const Statement& statement : p_[body_].body.statements)
      if (std::find(statement.names.begin(), statement.names.end(), symbol) != statement.names.end()) return true;
    return false;
  }

  // Keeps counters that have other uses than counting, reading and writing rows as parts of the state.
  void keepUsedCounters() {
    std::set<std::uint32_t> free;  // nodes that the new loop drops
    for (const Read& read : reads_) free.insert(p_[p_[body_].body.statements[read.statement].value].parts[1].index);
    std::vector<std::uint32_t> more(p_.symbols.size(), 0);
    std::set<std::uint32_t> dropped;
    for (const StatePart& part : parts_)
      if (part.role == StateRole::counter || part.role == StateRole::rows || part.isLastRow) dropWith(part, dropped);
    auto note = [&](NodeId root) {
      walk(p_, root, [&](NodeId id) {
        if (p_[id].kind == NodeKind::symbol && !free.count(id.index)) ++more[p_[id].symbol.index];
      });
    };
    for (const Statement& statement : p_[body_].body.statements)
      if (!dropped.count(statement.value.index)) note(statement.value);
    for (StatePart& part : parts_)
      if (part.role == StateRole::counter && ((part.name && more[part.name.index] > 0) || isReadAfter(part)))
        part.role = StateRole::carried;
  }

  bool isReadAfter(const StatePart& part) const { return part.result && uses_[part.result.index] > 0; }

  // Adds the nodes that only compute the next value of the part.
  void dropWith(const StatePart& part, std::set<std::uint32_t>& dropped) const {
    const NodeId next = definitions_.meant(p_, part.next);
    dropped.insert(next.index);
    if (part.role != StateRole::rows) return;
    dropped.insert(definitions_.meant(p_, p_[next].parts[1]).index);
  }

  // ---- the new loop

  SymbolId fresh(std::string origin, std::optional<TypeId> type) {
    return p_.add(Symbol{SymbolKind::value, std::move(origin), {}, type, {}});
  }

  // Whether an array of one row contains, after the loop, the result of this part of the state.
  bool isLastRowOf(const StatePart& part, const StatePart& state) const {
    if (!part.isLastRow || state.role != StateRole::carried || state.isLastRow || &part == &state) return false;
    if (p_[part.row].kind != NodeKind::symbol || p_[state.next].kind != NodeKind::symbol) return false;
    if (p_[part.row].symbol != p_[state.next].symbol) return false;
    if (auto count = shapes_.constant(*tripCount_); count && *count > 0) return true;
    const NodeId a = definitions_.meant(p_, part.first), b = definitions_.meant(p_, state.first);
    return p_.isCall(a, "full") && p_.isCall(b, "full") && numberOf(p_, p_[a].parts[1]) &&
           numberOf(p_, p_[a].parts[1]) == numberOf(p_, p_[b].parts[1]);
  }

  void write(Block& block, std::size_t at) {
    std::vector<StatePart*> carried, rows;
    std::vector<Statement> behind;
    const std::string origin = resultOrigin();
    for (StatePart& part : parts_) {
      if (part.role == StateRole::rows && isReadAfter(part)) rows.push_back(&part);
      if (part.role != StateRole::carried) continue;
      auto state =
          std::find_if(parts_.begin(), parts_.end(), [&](const StatePart& other) { return isLastRowOf(part, other); });
      if (state == parts_.end()) {
        carried.push_back(&part);
        continue;
      }
      if (!isReadAfter(part)) continue;
      if (!state->result) state->result = fresh(origin, p_[state->first].type);
      std::vector<Named> named;
      named.push_back({"axis", p_.literal("0")});
      behind.push_back({{part.result}, p_.call("expand", {p_.name(state->result)}, std::move(named))});
      p_[behind.back().value].type = p_[part.result].type;
    }
    makeBody(carried, rows);
    const bool isMap = carried.empty();
    std::vector<NodeId> arguments;
    std::vector<NodeId> firsts;
    for (const StatePart* part : carried) firsts.push_back(copied(p_, part->first));
    if (!isMap) arguments.push_back(p_.tuple(firsts));
    Node cell;
    cell.kind = NodeKind::function;
    cell.function = body_;
    const NodeId cellNode = p_.add(std::move(cell));
    arguments.insert(isMap ? arguments.begin() : arguments.end(), cellNode);
    for (const Read& read : reads_) arguments.push_back(copied(p_, read.from));
    Statement loop;
    loop.value = p_.call(isMap ? "map" : "loop", std::move(arguments));
    std::vector<Statement> made;
    auto bind = [&](const std::vector<StatePart*>& parts, const char* what) {
      if (parts.size() == 1) return loop.names.push_back(parts[0]->result);
      std::vector<SymbolId> names;
      for (const StatePart* part : parts) names.push_back(part->result);
      if (std::none_of(names.begin(), names.end(), [](SymbolId name) { return static_cast<bool>(name); }))
        return loop.names.push_back(SymbolId());
      loop.names.push_back(fresh(what, std::nullopt));
      made.push_back({std::move(names), p_.name(loop.names.back())});
    };
    if (!isMap) bind(carried, "last");
    bind(rows, "all");
    made.insert(made.begin(), std::move(loop));
    made.insert(made.end(), behind.begin(), behind.end());
    auto place = block.statements.begin() + static_cast<std::ptrdiff_t>(at);
    place = block.statements.erase(place);
    block.statements.insert(place, made.begin(), made.end());
  }

  std::string resultOrigin() const {
    for (SymbolId name : statement_->names)
      if (name) return p_[name].origin;
    return "last";
  }

  void makeBody(const std::vector<StatePart*>& carried, const std::vector<StatePart*>& rows) {
    Function cell;
    Block body = p_[body_].body;
    body.statements.erase(body.statements.begin());
    // Invariants become names of the body.
    for (const StatePart& part : parts_)
      if (part.name && part.role == StateRole::invariant)
        body.statements.insert(body.statements.begin(), {{part.name}, copied(p_, part.first)});
    std::vector<SymbolId> states;
    for (const StatePart* part : carried)
      states.push_back(part->name ? part->name : fresh("state", p_[part->first].type));
    if (carried.size() == 1) cell.parameters.push_back({states.front(), {}});
    if (carried.size() > 1) {
      cell.parameters.push_back({fresh("state", std::nullopt), {}});
      const NodeId state = p_.name(cell.parameters.back().symbol);
      body.statements.insert(body.statements.begin(), {states, state});
    }
    // The rows that the body reads become parameters.
    for (const Read& read : reads_) {
      const NodeId was = p_[body_].body.statements[read.statement].value;
      const SymbolId row = fresh("x", read.type);
      cell.parameters.push_back({row, {}});
      for (Statement& statement : body.statements)
        if (statement.value == was) statement.value = p_.name(row);
    }
    std::vector<NodeId> next, given;
    for (const StatePart* part : carried) next.push_back(copied(p_, part->next));
    for (const StatePart* part : rows) given.push_back(copied(p_, part->row));
    if (given.empty() && !next.empty()) given.push_back(copied(p_, next.front()));
    if (carried.empty()) {
      body.result = p_.tuple(given);
    } else {
      Node result;
      result.kind = NodeKind::tuple;
      result.parts = {p_.tuple(next), p_.tuple(given)};
      body.result = p_.add(std::move(result));
    }
    cell.body = std::move(body);
    p_[body_] = std::move(cell);
    p_[condition_].body = {{}, p_.literal("true")};
  }

  Program& p_;
  Shapes shapes_;
  Definitions definitions_;
  std::vector<std::uint32_t> uses_;
  Statement* statement_ = nullptr;
  FunctionId condition_, body_;
  std::vector<StatePart> parts_;
  std::vector<SymbolId> conditionStates_;
  std::optional<Dim> tripCount_;
  std::vector<Read> reads_;
};

}  // namespace

void recognizeLoops(Program& program, Checked& checked) {
  // Inner loops are in other functions.
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const FunctionId id{static_cast<std::uint32_t>(f)};
    for (std::size_t i = 0; i < program[id].body.statements.size(); ++i) {
      if (!program.isCall(program[id].body.statements[i].value, "while")) continue;
      Block block = program[id].body;
      if (LoopRecognizer(program, checked).run(block, i)) program[id].body = std::move(block);
    }
  }
}

}  // namespace axle::emit
