#include "import/tensorflow/analysis/followed_values.h"

#include <algorithm>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/typed_facts.h"
#include "import/tensorflow/operators/known_tensor.h"

namespace axle::tensorflow {
namespace {

// Equates elements that were open with what is known now. Returns whether one was learnt.
bool refineElements(GraphTyper& typer, const Known& before, const Known& now, Span at) {
  if (before.shape != now.shape) return false;
  Solution& solution = typer.solution();
  bool learnt = false;
  for (std::size_t i = 0; i < before.elements.size(); ++i) {
    const Dim was = solution.resolve(before.elements[i]), is = solution.resolve(now.elements[i]);
    const auto open = solution.dims.asVariable(was), still = solution.dims.asVariable(is);
    if (was == is || !open || solution.dimVars[open->index].isSize) continue;
    if (still && !solution.dimVars[still->index].isSize) continue;  // still open
    learnt |= typer.equate(was, is, at, "the value");
  }
  return learnt;
}

}  // namespace

bool followValues(GraphTyper& typer, Frame& frame, NodeId id, OutletFacts& facts) {
  const Node& node = frame[id];
  const OperatorRow* row = findOperatorRow(node.op);
  if (!row || !row->value || !node.fed.empty()) return false;
  RuleNode n = ruleNode(typer, frame, id);
  KnownValues values = row->value.apply(n);
  bool learnt = false;
  for (std::size_t port = 0; port < std::min(values.size(), facts.size()); ++port) {
    std::optional<Known>& value = values[port];
    OutletFact& fact = facts[port];
    if (!value) continue;
    value->isReal = isReal(fact.type);
    if (fact.known) {
      learnt |= refineElements(typer, *fact.known, *value, n.places.op);
      continue;
    }
    learnt = true;
    if (fact.value)
      typer.unify(typer.typeOf(fact.value),
                  tensorType(typer, fact.type, declaredShape(typer, {true, value->shape}), n.places.op), n.places.op,
                  "`" + node.op + "`");
    fact.known = std::move(value);
  }
  return learnt;
}

bool followAllValues(Analysis& analysis) {
  bool learnt = false;
  for (Frame& frame : analysis.frames)
    for (std::uint32_t i = 0; i < frame.facts.size(); ++i)
      if (!frame.isCopiedAt(i)) learnt |= followValues(analysis.typer, frame, NodeId{i}, frame.facts[i]);
  return learnt;
}

void followRank(const RuleNode& n, OutletFact& fact) {
  if (n.node.op == "Rank" && n.isTensor(0)) fact.rankOf = n.in(0);
  if (n.node.op == "Range" && n.count() == 3 && n.number(0) == 0 && n.number(2) == 1) fact.axesOf = n.fact(1).rankOf;
}

}  // namespace axle::tensorflow
