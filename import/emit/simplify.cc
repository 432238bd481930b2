#include "import/emit/simplify.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "import/emit/operator_syntax.h"
#include "import/emit/scalar_folding.h"
#include "import/emit/passes.h"
#include "import/emit/shapes.h"

namespace axle::emit {

namespace {

class Simplifier {
 public:
  Simplifier(Program& program, Checked& checked) : p_(program), shapes_(checked), definitions_(program) {}

  bool run() {
    bool changed = false;
    for (std::size_t f = 0; f < p_.functions.size(); ++f)
      for (std::size_t i = 0; i < bodyOf(f).statements.size(); ++i)
        changed |= bodyOf(f).statements[i].names.size() == 1
                       ? rewrite(bodyOf(f).statements[i].value)
                       : unstackedAlong(bodyOf(f).statements[i].value) || unstacked(bodyOf(f), i);
    return changed;
  }

 private:
  using Rule = bool (Simplifier::*)(NodeId);
  struct Row {
    std::string_view op;
    Rule rule;
  };

  Block& bodyOf(std::size_t function) { return p_[FunctionId{static_cast<std::uint32_t>(function)}].body; }

  bool rewrite(NodeId id) {
    static constexpr std::array rows = {Row{"reshape", &Simplifier::moved},
                                        Row{"squeeze", &Simplifier::moved},
                                        Row{"expand", &Simplifier::moved},
                                        Row{"squeeze", &Simplifier::part},
                                        Row{"squeeze", &Simplifier::element},
                                        Row{"pad", &Simplifier::sameElement},
                                        Row{"tile", &Simplifier::sameElement},
                                        Row{"broadcast_to", &Simplifier::sameElement},
                                        Row{"-", &Simplifier::lessNothing},
                                        Row{"+", &Simplifier::plusNothing},
                                        Row{"transpose", &Simplifier::stackedAlong},
                                        Row{"reshape", &Simplifier::rows},
                                        Row{"transpose", &Simplifier::turned},
                                        Row{"reverse", &Simplifier::reversed},
                                        Row{"slice", &Simplifier::whole},
                                        Row{"slice", &Simplifier::bounded},
                                        Row{"concat", &Simplifier::alone},
                                        Row{"cast", &Simplifier::sameElement},
                                        Row{"amax", &Simplifier::overNothing},
                                        Row{"amin", &Simplifier::overNothing},
                                        Row{"sum", &Simplifier::overNothing},
                                        Row{"mean", &Simplifier::overNothing},
                                        Row{"*", &Simplifier::timesOne},
                                        Row{"/", &Simplifier::timesOne},
                                        Row{"scatter_update", &Simplifier::allRows},
                                        Row{"gather", &Simplifier::allTaken}};
    const Node& node = p_[id];
    if (node.kind != NodeKind::call) return false;
    if (node.parts.size() == 2 && isInfix(node.text) && broadcast(id)) return true;
    if ((isInfix(node.text) || node.text == "rsqrt" || node.text == "sqrt") && lifted(id)) return true;
    if (node.symbol) return isCast(node) && sameElement(id);
    const std::string op = node.text;
    return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.op == op && (this->*row.rule)(id); });
  }

  // `to_f32(x)`: a cast with its result's type.
  bool isCast(const Node& node) const { return p_[node.symbol].wish.starts_with("to_") && node.parts.size() == 1; }

  // ---- what stands where

  // The application behind an argument.
  NodeId behind(NodeId id, std::size_t argument = 0) const { return definitions_.meant(p_, p_[id].parts[argument]); }
  NodeId behind(NodeId id, std::string_view op) const {
    const NodeId its = behind(id);
    return p_.isCall(its, op) ? its : NodeId();
  }
  bool isMove(NodeId id) const {
    return p_.isCall(id, "reshape") || p_.isCall(id, "squeeze") || p_.isCall(id, "expand");
  }
  bool becomes(NodeId id, NodeId other) {
    Node node = p_[copied(p_, other)];
    if (!node.type) node.type = p_[id].type;
    p_[id] = std::move(node);
    return true;
  }

  // ---- rules

  // reshape(reshape(x)), squeeze(expand(x)): the same elements in the same order.
  bool moved(NodeId id) {
    NodeId source = id;
    std::size_t moves = 0;
    for (NodeId at = id; isMove(at); at = behind(at)) {
      source = p_[at].parts[0];
      ++moves;
      if (shapes_.areSame(p_[id].type, p_[source].type)) return becomes(id, source);
    }
    return moves > 1 && shapes_.sizes(p_[source].type) && reshaped(id, copied(p_, source));
  }

  // The node gives what `source` does, in its own shape.
  bool reshaped(NodeId id, NodeId source) {
    auto sizes = shapes_.sizes(p_[id].type);
    if (!sizes) return false;
    Node list;
    list.kind = NodeKind::list;
    for (Dim size : *sizes) {
      auto text = shapes_.text(p_, size);
      if (!text) return false;
      Node item;
      item.kind = NodeKind::size;
      item.text = *text;
      item.dim = size;
      list.parts.push_back(p_.add(std::move(item)));
    }
    Node made;
    made.kind = NodeKind::call;
    made.text = "reshape";
    made.type = p_[id].type;
    made.parts = {source, p_.add(std::move(list))};
    p_[id] = std::move(made);
    return true;
  }

  // squeeze(split(x, parts=n)_k): x[k].
  bool part(NodeId id) {
    const Node& source = p_[p_[id].parts[0]];
    const auto* its = source.kind == NodeKind::symbol ? definitions_.find(source.symbol) : nullptr;
    if (!its || its->isWhole || !p_.isCall(its->value, "split")) return false;
    const NodeId split = its->value, whole = p_[split].parts[0];
    auto sizes = shapes_.sizes(p_[whole].type), given = shapes_.sizes(p_[id].type);
    auto axis = integersOf(p_, namedOf(p_, id, "axis"));
    if (!sizes || !given || sizes->size() != given->size() + 1 || namedOf(p_, split, "axis") || !axis) return false;
    if (axis->front() != 0 || p_[whole].kind != NodeKind::symbol) return false;
    Node made;
    made.kind = NodeKind::index;
    made.type = p_[id].type;
    made.items = {{IndexItem::Kind::at, std::to_string(its->part), {}, {}}};
    made.parts = {copied(p_, whole)};
    p_[id] = std::move(made);
    return true;
  }

  // squeeze(slice(x, axis=2, start=1, stop=2), axis=2): x[..., 1].
  bool element(NodeId id) {
    const NodeId slice = behind(id, "slice");
    auto axis = integersOf(p_, namedOf(p_, id, "axis"));
    if (!slice || !axis || axis->size() != 1 || namedOf(p_, slice, "step")) return false;
    auto sizes = shapes_.sizes(p_[slice].type), whole = shapes_.sizes(p_[p_[slice].parts[0]].type);
    if (!sizes || !whole || sizes->empty()) return false;
    const auto rank = static_cast<std::int64_t>(sizes->size());
    const std::int64_t at = axis->front() < 0 ? axis->front() + rank : axis->front();
    const NodeId startNode = namedOf(p_, slice, "start");
    auto start = startNode ? integersOf(p_, startNode) : std::optional(std::vector<std::int64_t>{0});
    if (at != axisOf(slice) || at < 0 || at >= rank || !start || start->front() < 0) return false;
    if (shapes_.constant((*sizes)[static_cast<std::size_t>(at)]) != 1) return false;
    Node made;
    made.kind = NodeKind::index;
    made.type = p_[id].type;
    if (at > 0 && at == rank - 1)
      made.items.push_back({IndexItem::Kind::ellipsis, {}, {}, {}});
    else
      made.items.resize(static_cast<std::size_t>(at));
    made.items.push_back({IndexItem::Kind::at, std::to_string(start->front()), {}, {}});
    made.parts = {copied(p_, p_[slice].parts[0])};
    p_[id] = std::move(made);
    return true;
  }

  // The order without one of its axes is that of the others.
  static bool isMoveOf(std::vector<std::int64_t> order, std::size_t place) {
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(place));
    return std::is_sorted(order.begin(), order.end());
  }

  void setAxis(NodeId id, std::int64_t axis) {
    std::erase_if(p_[id].named, [](const Named& named) { return named.name == "axis"; });
    if (axis != 0) p_[id].named.push_back({"axis", p_.literal(std::to_string(axis))});
  }

  // unstack(transpose(x, perm=[1, 0, 2])): unstack(x, axis=1).
  bool unstackedAlong(NodeId id) {
    if (!p_.isCall(id, "unstack")) return false;
    const NodeId inner = behind(id, "transpose");
    auto order = inner ? orderOf(inner) : std::nullopt;
    auto axis = integersOf(p_, namedOf(p_, id, "axis"));
    const std::int64_t at = axis ? axis->front() : 0;
    if (!order || at < 0 || at >= static_cast<std::int64_t>(order->size())) return false;
    if (!isMoveOf(*order, static_cast<std::size_t>(at))) return false;
    p_[id].parts[0] = copied(p_, p_[inner].parts[0]);
    setAxis(id, (*order)[static_cast<std::size_t>(at)]);
    return true;
  }

  // transpose(stack(a, b), perm=[1, 0, 2]): stack(a, b, axis=1).
  bool stackedAlong(NodeId id) {
    const NodeId stack = behind(id, "stack");
    auto order = stack ? orderOf(id) : std::nullopt;
    if (!order) return false;
    const auto place = std::find(order->begin(), order->end(), axisOf(stack));
    if (place == order->end()) return false;
    const std::int64_t axis = place - order->begin();
    if (!isMoveOf(*order, static_cast<std::size_t>(axis))) return false;
    const TypeId type = *p_[id].type;
    Node made = p_[copied(p_, stack)];
    made.type = type;
    p_[id] = std::move(made);
    setAxis(id, axis);
    return true;
  }

  // reshape(matmul(reshape(x, [rows, d]), w)): each row of x by itself.
  bool rows(NodeId id) {
    const NodeId product = behind(id, "matmul");
    if (!product) return false;
    const NodeId flat = behind(product, "reshape");
    if (!flat) return false;
    const NodeId source = p_[flat].parts[0], weights = p_[product].parts[1];
    auto from = shapes_.sizes(p_[source].type), to = shapes_.sizes(p_[id].type);
    auto inner = shapes_.sizes(p_[flat].type), matrix = shapes_.sizes(p_[weights].type);
    if (!from || !to || !inner || !matrix || inner->size() != 2 || matrix->size() != 2) return false;
    if (from->size() < 2 || from->size() != to->size() || from->back() != inner->back()) return false;
    if (!std::equal(from->begin(), from->end() - 1, to->begin()) || to->back() != matrix->back()) return false;
    Node made;
    made.kind = NodeKind::call;
    made.text = from->size() == 2 ? "matmul" : "batch_matmul";
    made.type = p_[id].type;
    made.parts = {copied(p_, source), copied(p_, weights)};
    p_[id] = std::move(made);
    return true;
  }

  std::optional<std::vector<std::int64_t>> orderOf(NodeId id) const { return integersOf(p_, namedOf(p_, id, "perm")); }

  bool turned(NodeId id) {
    auto order = orderOf(id);
    if (!order) return false;
    auto isOrdered = [](const std::vector<std::int64_t>& all) { return std::is_sorted(all.begin(), all.end()); };
    if (isOrdered(*order)) return becomes(id, p_[id].parts[0]);
    const NodeId inner = behind(id, "transpose");
    if (!inner) return false;
    auto first = orderOf(inner);
    if (!first || first->size() != order->size()) return false;
    std::vector<std::int64_t> both;
    for (std::int64_t axis : *order) both.push_back((*first)[static_cast<std::size_t>(axis)]);
    if (isOrdered(both)) return becomes(id, p_[inner].parts[0]);
    p_[id].parts[0] = copied(p_, p_[inner].parts[0]);
    setOrder(id, both);
    return true;
  }

  void setOrder(NodeId id, const std::vector<std::int64_t>& order) {
    Node list;
    list.kind = NodeKind::list;
    for (std::int64_t axis : order) list.parts.push_back(p_.literal(std::to_string(axis)));
    const NodeId perm = p_.add(std::move(list));
    for (Named& named : p_[id].named)
      if (named.name == "perm") named.value = perm;
  }

  std::int64_t axisOf(NodeId id) const {
    auto axis = integersOf(p_, namedOf(p_, id, "axis"));
    const std::int64_t at = axis ? axis->front() : 0;
    auto sizes = shapes_.sizes(p_[id].type);
    return at < 0 && sizes ? at + static_cast<std::int64_t>(sizes->size()) : at;
  }

  // Turning around twice, and before dimensions change places rather than after.
  bool reversed(NodeId id) {
    if (const NodeId inner = behind(id, "reverse"); inner && axisOf(inner) == axisOf(id))
      return becomes(id, p_[inner].parts[0]);
    const NodeId inner = behind(id, "transpose");
    if (!inner || p_[id].parts[0] == inner) return false;
    auto order = orderOf(inner);
    if (!order || axisOf(id) < 0 || axisOf(id) >= static_cast<std::int64_t>(order->size())) return false;
    const NodeId source = p_[inner].parts[0];
    const std::int64_t axis = (*order)[static_cast<std::size_t>(axisOf(id))];
    std::vector<Named> named;
    if (axis != 0) named.push_back({"axis", p_.literal(std::to_string(axis))});
    const NodeId around = p_.call("reverse", {copied(p_, source)}, std::move(named));
    p_[around].type = p_[source].type;
    Node turned = p_[copied(p_, inner)];
    turned.parts = {around};
    turned.type = p_[id].type;
    p_[id] = std::move(turned);
    return true;
  }

  // Bounds that are those of the axis are left out.
  bool bounded(NodeId id) {
    auto sizes = shapes_.sizes(p_[p_[id].parts[0]].type);
    auto axis = integersOf(p_, namedOf(p_, id, "axis"));
    std::int64_t at = axis ? axis->front() : 0;
    if (!sizes) return false;
    if (at < 0) at += static_cast<std::int64_t>(sizes->size());
    if (at < 0 || at >= static_cast<std::int64_t>(sizes->size())) return false;
    const Dim size = (*sizes)[static_cast<std::size_t>(at)];
    auto count = shapes_.constant(size);
    return std::erase_if(p_[id].named, [&](const Named& named) {
             auto number = numberOf(p_, named.value);
             const bool isAll =
                 p_[named.value].dim == size || (number && count && *number == static_cast<double>(*count));
             return named.name == "start" ? number && *number == 0 : named.name == "stop" && isAll;
           }) > 0;
  }

  bool whole(NodeId id) {
    const NodeId step = namedOf(p_, id, "step");
    if (step && numberOf(p_, step) != 1) return false;
    if (!shapes_.areSame(p_[id].type, p_[p_[id].parts[0]].type)) return false;
    return becomes(id, p_[id].parts[0]);
  }

  bool alone(NodeId id) { return p_[id].parts.size() == 1 && becomes(id, p_[id].parts[0]); }

  bool sameElement(NodeId id) {
    const NodeId source = p_[id].parts[0];
    return shapes_.areSame(p_[id].type, p_[source].type) && becomes(id, source);
  }

  bool overNothing(NodeId id) {
    const NodeId axis = namedOf(p_, id, "axis");
    const bool isNone = axis && p_[axis].kind == NodeKind::list && p_[axis].parts.empty();
    return isNone && becomes(id, p_[id].parts[0]);
  }

  // Of two operands the other one, where `is` holds of one that changes nothing.
  template <class Is>
  bool otherThan(NodeId id, bool commutes, const Is& is) {
    if (p_[id].parts.size() != 2) return false;
    for (std::size_t one : {std::size_t{1}, std::size_t{0}}) {
      if (one == 0 && !commutes) continue;
      const NodeId other = p_[id].parts[1 - one];
      if (is(p_[id].parts[one]) && shapes_.areSame(p_[id].type, p_[other].type)) return becomes(id, other);
    }
    return false;
  }

  bool timesOne(NodeId id) {
    return otherThan(id, p_[id].text == "*", [&](NodeId part) { return numberOf(p_, part) == 1; });
  }

  bool lessNothing(NodeId id) {
    return otherThan(id, false, [&](NodeId part) {
      return numberOf(p_, part) == 0 && !p_[withoutAscription(p_, part)].text.starts_with('-');
    });
  }

  // Of floats -0 + 0 is 0.
  bool plusNothing(NodeId id) {
    auto elem = shapes_.elem(p_[id].type);
    return elem && info(*elem).isInt && otherThan(id, true, [&](NodeId part) { return numberOf(p_, part) == 0; });
  }

  // Of a value that a move only gives leading sizes of 1: the value without them.
  NodeId withoutOnes(NodeId part) const {
    const NodeId move = definitions_.meant(p_, part);
    if (!isMove(move)) return {};
    const NodeId source = p_[move].parts[0];
    auto from = shapes_.sizes(p_[source].type), to = shapes_.sizes(p_[move].type);
    if (!from || !to || from->empty() || from->size() >= to->size()) return {};
    const std::size_t more = to->size() - from->size();
    const bool isSame = std::equal(from->begin(), from->end(), to->begin() + static_cast<std::ptrdiff_t>(more));
    return isSame && areOnes(*to, more) ? source : NodeId();
  }

  bool areOnes(const std::vector<Dim>& sizes, std::size_t count) const {
    return std::all_of(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(count),
                       [&](Dim size) { return shapes_.constant(size) == 1; });
  }

  // x * reshape(w, [1, 1, k]): broadcasting does it.
  bool broadcast(NodeId id) {
    bool changed = false;
    for (std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const NodeId source = withoutOnes(p_[id].parts[i]);
      auto other = shapes_.sizes(p_[p_[id].parts[1 - i]].type), made = shapes_.sizes(p_[id].type);
      if (!source || !other || !made || other->size() < made->size()) continue;
      p_[id].parts[i] = copied(p_, source);
      changed = true;
    }
    return changed;
  }

  // rsqrt(reshape(v, [1, 1, k]) + eps): reshaped when all else is done, by broadcasting mostly.
  bool lifted(NodeId id) {
    const Node node = p_[id];
    std::vector<NodeId> parts = node.parts;
    auto made = shapes_.sizes(node.type);
    auto elem = shapes_.elem(node.type);
    std::size_t rank = 0;
    bool isAny = false;
    for (NodeId& part : parts) {
      if (const NodeId source = withoutOnes(part)) {
        part = source;
        isAny = true;
      }
      auto sizes = shapes_.sizes(p_[part].type);
      if (!sizes) return false;
      rank = std::max(rank, sizes->size());
    }
    if (!isAny || !made || !elem || rank >= made->size() || !areOnes(*made, made->size() - rank)) return false;
    Node inner = node;
    inner.parts.clear();
    for (NodeId part : parts) inner.parts.push_back(copied(p_, part));
    inner.type = shapes_.tensor(*elem, {made->end() - static_cast<std::ptrdiff_t>(rank), made->end()});
    return reshaped(id, p_.add(std::move(inner)));
  }

  // Every row of a tensor replaced, in order.
  bool allRows(NodeId id) {
    const NodeId updates = p_[id].parts[2];
    if (!shapes_.areSame(p_[id].type, p_[updates].type)) return false;
    auto sizes = shapes_.sizes(p_[updates].type);
    if (!sizes || sizes->empty()) return false;
    const NodeId index = behind(id, 1);
    return isMove(index) && countsRows(index, sizes->front()) && becomes(id, updates);
  }

  // Every row taken, in order.
  bool allTaken(NodeId id) {
    auto sizes = shapes_.sizes(p_[p_[id].parts[0]].type);
    if (namedOf(p_, id, "axis") || !sizes || sizes->empty()) return false;
    return shapes_.areSame(p_[id].type, p_[p_[id].parts[0]].type) && countsRows(behind(id, 1), sizes->front()) &&
           becomes(id, p_[id].parts[0]);
  }

  // 0, 1, .. as many as there are rows, in whatever shape and integer type.
  bool countsRows(NodeId index, Dim rows) const {
    while (isMove(index) || (p_[index].kind == NodeKind::call && p_[index].symbol && p_[index].parts.size() == 1))
      index = behind(index);
    if (!p_.isCall(index, "arange") || !p_[index].named.empty()) return false;
    const Node& count = p_[p_[index].parts[0]];
    if (count.dim) return *count.dim == rows;
    auto number = integersOf(p_, p_[index].parts[0]);
    return number && shapes_.constant(rows) == number->front();
  }

  // The parts of a constant, each by itself.
  bool unstacked(Block& block, std::size_t at) {
    const Statement statement = block.statements[at];
    if (statement.names.size() < 2 || !p_.isCall(statement.value, "unstack")) return false;
    const NodeId whole = p_[statement.value].parts[0];
    const NodeId axis = namedOf(p_, statement.value, "axis");
    const bool isWeight = p_[whole].kind == NodeKind::symbol && p_[p_[whole].symbol].kind == SymbolKind::weight;
    if (!isWeight || (axis && numberOf(p_, axis) != 0)) return false;
    std::vector<Statement> parts;
    for (std::size_t i = 0; i < statement.names.size(); ++i) {
      if (!statement.names[i]) continue;
      Node part;
      part.kind = NodeKind::index;
      part.type = p_[statement.names[i]].type;
      part.items = {{IndexItem::Kind::at, std::to_string(i), {}, {}}};
      part.parts = {copied(p_, whole)};
      parts.push_back({{statement.names[i]}, p_.add(std::move(part))});
    }
    auto place = block.statements.erase(block.statements.begin() + static_cast<std::ptrdiff_t>(at));
    block.statements.insert(place, parts.begin(), parts.end());
    return true;
  }

  Program& p_;
  Shapes shapes_;
  Definitions definitions_;
};

}  // namespace

void simplify(Program& program, Checked& checked, const Request& request) {
  constexpr int mostRounds = 16;
  for (int round = 0; round < mostRounds; ++round) {
    bool changed = foldNumbers(program, checked, request);
    changed |= Simplifier(program, checked).run();
    flatten(program);
    tidy(program);
    if (!changed) return;
  }
}

void dropPlainTypes(Program& program, Checked& checked) {
  const Shapes shapes(checked);
  for (Function& function : program.functions)
    for (Statement& statement : function.body.statements) {
      if (statement.names.size() != 1 || !statement.names[0]) continue;
      const Node& value = program[statement.value];
      Symbol& name = program[statement.names[0]];
      auto isPlain = [&](NodeId part) {
        const Node& operand = program[part];
        const bool isWeight = operand.kind == NodeKind::symbol && program[operand.symbol].kind == SymbolKind::weight;
        return !isWeight && shapes.haveSameShape(operand.type, name.type);
      };
      if (std::any_of(value.parts.begin(), value.parts.end(), isPlain)) name.typeText.clear();
    }
}

}  // namespace axle::emit
