// Simplification of operators that rearrange elements: reshapes, transposes, slices, stacks, gathers.
#include <algorithm>

#include "import/emit/simplify_rules.h"

namespace axle::emit {

namespace {

std::optional<std::vector<std::int64_t>> orderOf(Simplification& s, NodeId id) {
  return integersOf(s.program, namedOf(s.program, id, "perm"));
}

void setOrder(Simplification& s, NodeId id, const std::vector<std::int64_t>& order) {
  const NodeId perm = s.program.integers(order);
  for (Named& named : s.program[id].named)
    if (named.name == "perm") named.value = perm;
}

std::int64_t axisOf(Simplification& s, NodeId id) {
  auto axis = integersOf(s.program, namedOf(s.program, id, "axis"));
  const std::int64_t at = axis ? axis->front() : 0;
  auto sizes = s.shapes.sizes(s.program[id].type);
  return at < 0 && sizes ? at + static_cast<std::int64_t>(sizes->size()) : at;
}

void setAxis(Simplification& s, NodeId id, std::int64_t axis) {
  std::erase_if(s.program[id].named, [](const Named& named) { return named.name == "axis"; });
  if (axis != 0) s.program[id].named.push_back({"axis", s.program.literal(std::to_string(axis))});
}

// Whether a permutation moves the axis at `place` and keeps the order of the others.
bool movesOneAxis(std::vector<std::int64_t> order, std::size_t place) {
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(place));
  return std::is_sorted(order.begin(), order.end());
}

// reshape(reshape(x)) is one reshape, or x itself; so is squeeze(expand(x)).
bool collapseReshapes(Simplification& s, NodeId id) {
  NodeId source = id;
  std::size_t moves = 0;
  for (NodeId at = id; isReshape(s, at); at = operandBehind(s, at)) {
    source = s.program[at].parts[0];
    ++moves;
    if (s.shapes.areSame(s.program[id].type, s.program[source].type)) return becomes(s, id, source);
  }
  return moves > 1 && s.shapes.sizes(s.program[source].type) && becomesReshapeOf(s, id, copied(s.program, source));
}

// squeeze(a) after a, b = split(x, parts=n) is x[0] if each part has size 1.
bool indexSplit(Simplification& s, NodeId id) {
  const Node& source = s.program[s.program[id].parts[0]];
  const auto* its = source.kind == NodeKind::symbol ? s.definitions.find(source.symbol) : nullptr;
  if (!its || its->isWhole || !s.program.isCall(its->value, "split")) return false;
  const NodeId split = its->value, whole = s.program[split].parts[0];
  auto sizes = s.shapes.sizes(s.program[whole].type), given = s.shapes.sizes(s.program[id].type);
  auto axis = integersOf(s.program, namedOf(s.program, id, "axis"));
  if (!sizes || !given || sizes->size() != given->size() + 1 || namedOf(s.program, split, "axis") || !axis)
    return false;
  if (axis->front() != 0 || s.program[whole].kind != NodeKind::symbol) return false;
  return becomesIndex(s, id, whole, {{IndexItem::Kind::at, std::to_string(its->part), {}, {}}});
}

// squeeze(slice(x, axis=2, start=1, stop=2), axis=2) is x[..., 1].
bool indexSlice(Simplification& s, NodeId id) {
  const NodeId slice = operandCall(s, id, "slice");
  auto axis = integersOf(s.program, namedOf(s.program, id, "axis"));
  if (!slice || !axis || axis->size() != 1 || namedOf(s.program, slice, "step")) return false;
  auto sizes = s.shapes.sizes(s.program[slice].type), whole = s.shapes.sizes(s.program[s.program[slice].parts[0]].type);
  if (!sizes || !whole || sizes->empty()) return false;
  const auto rank = static_cast<std::int64_t>(sizes->size());
  const std::int64_t at = axis->front() < 0 ? axis->front() + rank : axis->front();
  const NodeId startNode = namedOf(s.program, slice, "start");
  auto start = startNode ? integersOf(s.program, startNode) : std::optional(std::vector<std::int64_t>{0});
  if (at != axisOf(s, slice) || at < 0 || at >= rank || !start || start->front() < 0) return false;
  if (s.shapes.constant((*sizes)[static_cast<std::size_t>(at)]) != 1) return false;
  std::vector<IndexItem> items;
  if (at > 0 && at == rank - 1)
    items.push_back({IndexItem::Kind::ellipsis, {}, {}, {}});
  else
    items.resize(static_cast<std::size_t>(at));
  items.push_back({IndexItem::Kind::at, std::to_string(start->front()), {}, {}});
  return becomesIndex(s, id, s.program[slice].parts[0], std::move(items));
}

// transpose(stack(a, b), perm=[1, 0, 2]) is stack(a, b, axis=1).
bool stackTransposed(Simplification& s, NodeId id) {
  const NodeId stack = operandCall(s, id, "stack");
  auto order = stack ? orderOf(s, id) : std::nullopt;
  if (!order) return false;
  const auto place = std::find(order->begin(), order->end(), axisOf(s, stack));
  if (place == order->end()) return false;
  const std::int64_t axis = place - order->begin();
  if (!movesOneAxis(*order, static_cast<std::size_t>(axis))) return false;
  const TypeId type = *s.program[id].type;
  Node made = s.program[copied(s.program, stack)];
  made.type = type;
  s.program[id] = std::move(made);
  setAxis(s, id, axis);
  return true;
}

// reshape(matmul(reshape(x, [rows, d]), w)) is batch_matmul(x, w).
bool multiplyRows(Simplification& s, NodeId id) {
  const NodeId product = operandCall(s, id, "matmul");
  if (!product) return false;
  const NodeId flat = operandCall(s, product, "reshape");
  if (!flat) return false;
  const NodeId source = s.program[flat].parts[0], weights = s.program[product].parts[1];
  auto from = s.shapes.sizes(s.program[source].type), to = s.shapes.sizes(s.program[id].type);
  auto inner = s.shapes.sizes(s.program[flat].type), matrix = s.shapes.sizes(s.program[weights].type);
  if (!from || !to || !inner || !matrix || inner->size() != 2 || matrix->size() != 2) return false;
  if (from->size() < 2 || from->size() != to->size() || from->back() != inner->back()) return false;
  if (!std::equal(from->begin(), from->end() - 1, to->begin()) || to->back() != matrix->back()) return false;
  return becomesCall(s, id, from->size() == 2 ? "matmul" : "batch_matmul",
                     {copied(s.program, source), copied(s.program, weights)});
}

// Merges two transposes into one, or none.
bool collapseTransposes(Simplification& s, NodeId id) {
  auto order = orderOf(s, id);
  if (!order) return false;
  auto isOrdered = [](const std::vector<std::int64_t>& all) { return std::is_sorted(all.begin(), all.end()); };
  if (isOrdered(*order)) return becomes(s, id, s.program[id].parts[0]);
  const NodeId inner = operandCall(s, id, "transpose");
  if (!inner) return false;
  auto first = orderOf(s, inner);
  if (!first || first->size() != order->size()) return false;
  std::vector<std::int64_t> both;
  for (std::int64_t axis : *order) both.push_back((*first)[static_cast<std::size_t>(axis)]);
  if (isOrdered(both)) return becomes(s, id, s.program[inner].parts[0]);
  s.program[id].parts[0] = copied(s.program, s.program[inner].parts[0]);
  setOrder(s, id, both);
  return true;
}

// reverse(reverse(x)) is x; reverse(transpose(x)) becomes transpose(reverse(x)).
bool collapseReverses(Simplification& s, NodeId id) {
  if (const NodeId inner = operandCall(s, id, "reverse"); inner && axisOf(s, inner) == axisOf(s, id))
    return becomes(s, id, s.program[inner].parts[0]);
  const NodeId inner = operandCall(s, id, "transpose");
  if (!inner || s.program[id].parts[0] == inner) return false;
  auto order = orderOf(s, inner);
  if (!order || axisOf(s, id) < 0 || axisOf(s, id) >= static_cast<std::int64_t>(order->size())) return false;
  const NodeId source = s.program[inner].parts[0];
  const std::int64_t axis = (*order)[static_cast<std::size_t>(axisOf(s, id))];
  std::vector<Named> named;
  if (axis != 0) named.push_back({"axis", s.program.literal(std::to_string(axis))});
  const NodeId around = s.program.call("reverse", {copied(s.program, source)}, std::move(named));
  s.program[around].type = s.program[source].type;
  Node turned = s.program[copied(s.program, inner)];
  turned.parts = {around};
  turned.type = s.program[id].type;
  s.program[id] = std::move(turned);
  return true;
}

// Drops bounds that equal those of the axis.
bool dropFullBounds(Simplification& s, NodeId id) {
  auto sizes = s.shapes.sizes(s.program[s.program[id].parts[0]].type);
  auto axis = integersOf(s.program, namedOf(s.program, id, "axis"));
  std::int64_t at = axis ? axis->front() : 0;
  if (!sizes) return false;
  if (at < 0) at += static_cast<std::int64_t>(sizes->size());
  if (at < 0 || at >= static_cast<std::int64_t>(sizes->size())) return false;
  const Dim size = (*sizes)[static_cast<std::size_t>(at)];
  auto count = s.shapes.constant(size);
  return std::erase_if(s.program[id].named, [&](const Named& named) {
           auto number = numberOf(s.program, named.value);
           const bool isAll =
               s.program[named.value].dim == size || (number && count && *number == static_cast<double>(*count));
           return named.name == "start" ? number && *number == 0 : named.name == "stop" && isAll;
         }) > 0;
}

// Drops a slice of all elements.
bool dropFullSlice(Simplification& s, NodeId id) {
  const NodeId step = namedOf(s.program, id, "step");
  if (step && numberOf(s.program, step) != 1) return false;
  if (!s.shapes.areSame(s.program[id].type, s.program[s.program[id].parts[0]].type)) return false;
  return becomes(s, id, s.program[id].parts[0]);
}

bool dropSingleConcat(Simplification& s, NodeId id) {
  return s.program[id].parts.size() == 1 && becomes(s, id, s.program[id].parts[0]);
}

// Whether the indices are 0, 1, .., rows - 1, in any shape and integer type.
bool countsRows(Simplification& s, NodeId index, Dim rows) {
  while (isReshape(s, index) ||
         (s.program[index].kind == NodeKind::call && s.program[index].symbol && s.program[index].parts.size() == 1))
    index = operandBehind(s, index);
  if (!s.program.isCall(index, "arange") || !s.program[index].named.empty()) return false;
  const Node& count = s.program[s.program[index].parts[0]];
  if (count.dim) return *count.dim == rows;
  auto number = integersOf(s.program, s.program[index].parts[0]);
  return number && s.shapes.constant(rows) == number->front();
}

// scatter_update of all rows, in order, is the updates.
bool dropFullUpdate(Simplification& s, NodeId id) {
  const NodeId updates = s.program[id].parts[2];
  if (!s.shapes.areSame(s.program[id].type, s.program[updates].type)) return false;
  auto sizes = s.shapes.sizes(s.program[updates].type);
  if (!sizes || sizes->empty()) return false;
  const NodeId index = operandBehind(s, id, 1);
  return isReshape(s, index) && countsRows(s, index, sizes->front()) && becomes(s, id, updates);
}

// gather of all rows, in order, is the tensor.
bool dropFullGather(Simplification& s, NodeId id) {
  auto sizes = s.shapes.sizes(s.program[s.program[id].parts[0]].type);
  if (namedOf(s.program, id, "axis") || !sizes || sizes->empty()) return false;
  return s.shapes.areSame(s.program[id].type, s.program[s.program[id].parts[0]].type) &&
         countsRows(s, operandBehind(s, id, 1), sizes->front()) && becomes(s, id, s.program[id].parts[0]);
}

// conv2d(x, w, groups=c) of kernels [r, s, 1, c] is depthwise_conv2d(x, swap_axes(w, a=2, b=3)): no number of channels
// distinguishes the blocks of a net.
bool convolveByChannels(Simplification& s, NodeId id) {
  const NodeId groups = namedOf(s.program, id, "groups"), kernel = s.program[id].parts[1];
  const auto count = groups ? integersOf(s.program, groups) : std::nullopt;
  const auto sizes = s.shapes.sizes(s.program[kernel].type);
  if (!count || !sizes || sizes->size() != 4 || s.shapes.constant((*sizes)[2]) != 1) return false;
  if (s.shapes.constant((*sizes)[3]) != count->front()) return false;
  if (s.program[kernel].kind == NodeKind::symbol)
    if (Symbol& weight = s.program[s.program[kernel].symbol]; weight.role.empty()) weight.role = "kernel";
  const NodeId swapped = s.program.call("swap_axes", {copied(s.program, kernel)},
                                        {{"a", s.program.literal("2")}, {"b", s.program.literal("3")}});
  std::erase_if(s.program[id].named, [](const Named& named) { return named.name == "groups"; });
  s.program[id].text = "depthwise_conv2d";
  s.program[id].parts[1] = swapped;
  return true;
}

}  // namespace

bool unstackTransposed(Simplification& s, NodeId id) {
  if (!s.program.isCall(id, "unstack")) return false;
  const NodeId inner = operandCall(s, id, "transpose");
  auto order = inner ? orderOf(s, inner) : std::nullopt;
  auto axis = integersOf(s.program, namedOf(s.program, id, "axis"));
  const std::int64_t at = axis ? axis->front() : 0;
  if (!order || at < 0 || at >= static_cast<std::int64_t>(order->size())) return false;
  if (!movesOneAxis(*order, static_cast<std::size_t>(at))) return false;
  s.program[id].parts[0] = copied(s.program, s.program[inner].parts[0]);
  setAxis(s, id, (*order)[static_cast<std::size_t>(at)]);
  return true;
}

bool indexUnstacked(Simplification& s, Block& block, std::size_t at) {
  const Statement statement = block.statements[at];
  if (statement.names.size() < 2 || !s.program.isCall(statement.value, "unstack")) return false;
  const NodeId whole = s.program[statement.value].parts[0];
  const NodeId axis = namedOf(s.program, statement.value, "axis");
  const bool isWeight =
      s.program[whole].kind == NodeKind::symbol && s.program[s.program[whole].symbol].kind == SymbolKind::weight;
  if (!isWeight || (axis && numberOf(s.program, axis) != 0)) return false;
  std::vector<Statement> parts;
  for (std::size_t i = 0; i < statement.names.size(); ++i) {
    if (!statement.names[i]) continue;
    Node part;
    part.kind = NodeKind::index;
    part.type = s.program[statement.names[i]].type;
    part.items = {{IndexItem::Kind::at, std::to_string(i), {}, {}}};
    part.parts = {copied(s.program, whole)};
    parts.push_back({{statement.names[i]}, s.program.add(std::move(part))});
  }
  auto place = block.statements.erase(block.statements.begin() + static_cast<std::ptrdiff_t>(at));
  block.statements.insert(place, parts.begin(), parts.end());
  return true;
}

std::span<const SimplifyRule> layoutRules() {
  static constexpr SimplifyRule rows[] = {
      {"reshape", collapseReshapes},
      {"squeeze", collapseReshapes},
      {"expand", collapseReshapes},
      {"squeeze", indexSplit},
      {"squeeze", indexSlice},
      {"pad", dropIdentity},
      {"tile", dropIdentity},
      {"broadcast_to", dropIdentity},
      {"cast", dropIdentity},
      {"transpose", stackTransposed},
      {"reshape", multiplyRows},
      {"transpose", collapseTransposes},
      {"reverse", collapseReverses},
      {"slice", dropFullSlice},
      {"slice", dropFullBounds},
      {"concat", dropSingleConcat},
      {"scatter_update", dropFullUpdate},
      {"gather", dropFullGather},
      {"conv2d", convolveByChannels},
  };
  return rows;
}

}  // namespace axle::emit
