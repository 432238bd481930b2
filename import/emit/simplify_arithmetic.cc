// Simplification of arithmetic: neutral operands, reductions over no axes, and reshapes that broadcasting makes
// redundant.
#include <algorithm>

#include "import/emit/simplify_rules.h"

namespace axle::emit {

namespace {

// Rewrites the node to the other of its two operands if `is` holds for the second one or, if the operator commutes, for
// either.
template <class Is>
bool becomesOtherOperand(Simplification& s, NodeId id, bool commutes, const Is& is) {
  if (s.program[id].parts.size() != 2) return false;
  for (std::size_t one : {std::size_t{1}, std::size_t{0}}) {
    if (one == 0 && !commutes) continue;
    const NodeId other = s.program[id].parts[1 - one];
    if (is(s.program[id].parts[one]) && s.shapes.areSame(s.program[id].type, s.program[other].type))
      return becomes(s, id, other);
  }
  return false;
}

bool dropFactorOne(Simplification& s, NodeId id) {
  return becomesOtherOperand(s, id, s.program[id].text == "*",
                             [&](NodeId part) { return numberOf(s.program, part) == 1; });
}

bool dropMinusZero(Simplification& s, NodeId id) {
  return becomesOtherOperand(s, id, false, [&](NodeId part) {
    return numberOf(s.program, part) == 0 && !s.program[withoutAscription(s.program, part)].text.starts_with('-');
  });
}

// Only for integers: for floats, -0 + 0 is 0.
bool dropPlusZero(Simplification& s, NodeId id) {
  auto elem = s.shapes.elem(s.program[id].type);
  return elem && info(*elem).isInt &&
         becomesOtherOperand(s, id, true, [&](NodeId part) { return numberOf(s.program, part) == 0; });
}

// Drops a reduction over an empty list of axes.
bool dropReductionOverNoAxes(Simplification& s, NodeId id) {
  const NodeId axis = namedOf(s.program, id, "axis");
  const bool isNone = axis && s.program[axis].kind == NodeKind::list && s.program[axis].parts.empty();
  return isNone && becomes(s, id, s.program[id].parts[0]);
}

bool leadingAreOnes(Simplification& s, const std::vector<Dim>& sizes, std::size_t count) {
  return std::all_of(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(count),
                     [&](Dim size) { return s.shapes.constant(size) == 1; });
}

// Returns the value to which a reshape only adds leading sizes of 1; none if it is not such a reshape.
NodeId withoutLeadingOnes(Simplification& s, NodeId part) {
  const NodeId move = s.definitions.meant(s.program, part);
  if (!isReshape(s, move)) return {};
  const NodeId source = s.program[move].parts[0];
  auto from = s.shapes.sizes(s.program[source].type), to = s.shapes.sizes(s.program[move].type);
  if (!from || !to || from->empty() || from->size() >= to->size()) return {};
  const std::size_t more = to->size() - from->size();
  const bool isSame = std::equal(from->begin(), from->end(), to->begin() + static_cast<std::ptrdiff_t>(more));
  return isSame && leadingAreOnes(s, *to, more) ? source : NodeId();
}

}  // namespace

bool broadcastReshaped(Simplification& s, NodeId id) {
  bool changed = false;
  for (std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const NodeId source = withoutLeadingOnes(s, s.program[id].parts[i]);
    auto other = s.shapes.sizes(s.program[s.program[id].parts[1 - i]].type), made = s.shapes.sizes(s.program[id].type);
    if (!source || !other || !made || other->size() < made->size()) continue;
    s.program[id].parts[i] = copied(s.program, source);
    changed = true;
  }
  return changed;
}

bool reshapeAfterwards(Simplification& s, NodeId id) {
  const Node node = s.program[id];
  std::vector<NodeId> parts = node.parts;
  auto made = s.shapes.sizes(node.type);
  auto elem = s.shapes.elem(node.type);
  std::size_t rank = 0;
  bool isAny = false;
  for (NodeId& part : parts) {
    if (const NodeId source = withoutLeadingOnes(s, part)) {
      part = source;
      isAny = true;
    }
    auto sizes = s.shapes.sizes(s.program[part].type);
    if (!sizes) return false;
    rank = std::max(rank, sizes->size());
  }
  if (!isAny || !made || !elem || rank >= made->size() || !leadingAreOnes(s, *made, made->size() - rank)) return false;
  Node inner = node;
  inner.parts.clear();
  for (NodeId part : parts) inner.parts.push_back(copied(s.program, part));
  inner.type = s.shapes.tensor(*elem, {made->end() - static_cast<std::ptrdiff_t>(rank), made->end()});
  return becomesReshapeOf(s, id, s.program.add(std::move(inner)));
}

std::span<const SimplifyRule> arithmeticRules() {
  static constexpr SimplifyRule rows[] = {
      {"-", dropMinusZero},
      {"+", dropPlusZero},
      {"*", dropFactorOne},
      {"/", dropFactorOne},
      {"amax", dropReductionOverNoAxes},
      {"amin", dropReductionOverNoAxes},
      {"sum", dropReductionOverNoAxes},
      {"mean", dropReductionOverNoAxes},
  };
  return rows;
}

}  // namespace axle::emit
