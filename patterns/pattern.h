// Patterns: small trees of operators over holes, matched against any kind of graph.
//
// A hole matches any value; if it occurs again, it matches only the same value. Operands of commutative operators match
// in both orders; the first match is taken. `Op` is what a node of the pattern requires: an operator, or a class of
// operators.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace axle::patterns {

template <class Op>
struct Pattern {
  enum class Kind : std::uint8_t { hole, constantHole, node } kind = Kind::hole;
  std::uint8_t index = 0;  // of the hole, or of the node if it is named
  Op op{};
  bool isNamed = false, isOnce = false;
  bool takesAny = false;  // a node with any number of inputs, whatever they are
  std::vector<Pattern> inputs = {};

  // Returns the node with a name, by which conditions and replacements refer to it.
  Pattern as(std::uint8_t name) const {
    Pattern named = *this;
    named.isNamed = true;
    named.index = name;
    return named;
  }
};

template <class Op, class... Inputs>
Pattern<Op> on(Op op, const Inputs&... inputs) {
  return {Pattern<Op>::Kind::node, 0, op, false, false, false, {inputs...}};
}
template <class Op>
Pattern<Op> onAny(Op op) {
  return {Pattern<Op>::Kind::node, 0, op, false, false, true, {}};
}
// Returns the node restricted to values that only the pattern reads.
template <class Op>
Pattern<Op> once(Pattern<Op> term) {
  term.isOnce = true;
  return term;
}

inline constexpr std::size_t holes = 8, names = 4;

// The values bound to holes and named nodes. An unbound value converts to false.
template <class Value>
struct Bound {
  std::array<Value, holes> ofHole{};
  std::array<Value, names> ofName{};

  template <class Op>
  bool bind(const Pattern<Op>& hole, Value value) {
    Value& known = ofHole[hole.index];
    if (known) return known == value;
    known = value;
    return true;
  }
};

// Whether the pattern matches the computation of `value`; if not, `bound` is unchanged. The graph provides
//   bind(hole, value, bound)   whether the hole may stand for the value; records it in `bound`
//   enter(node, value, bound)  a pointer or optional to the range of operands of the value's operator; empty if the
//                              operator is not the one that the node requires
//   commutes(node)             whether two operands may be exchanged
template <class Graph, class Op, class Value, class Bound>
bool matches(Graph& graph, const Pattern<Op>& term, Value value, Bound& bound) {
  if (term.kind != Pattern<Op>::Kind::node) return graph.bind(term, value, bound);
  const Bound before = bound;
  const auto operands = graph.enter(term, value, bound);
  if (operands && term.takesAny) return true;
  if (operands && operands->size() == term.inputs.size()) {
    const std::size_t count = term.inputs.size();
    const Bound entered = bound;
    const auto matchInputs = [&](bool isSwapped) {
      for (std::size_t i = 0; i < count; ++i)
        if (!matches(graph, term.inputs[i], (*operands)[isSwapped ? 1 - i : i], bound)) return false;
      return true;
    };
    if (matchInputs(false)) return true;
    bound = entered;
    if (count == 2 && graph.commutes(term) && matchInputs(true)) return true;
  }
  bound = before;
  return false;
}

}  // namespace axle::patterns
