// Runs a cell over the elements of sequences and carries states from step to step.
#include "ir/ops/bodies.h"
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred loopFacts(const InferContext& c) {
  const auto [states, sequences] = c.as<LoopAttributes>();
  if (sequences == 0 || sequences > c.inputs.size() || states > c.inputs.size() - sequences)
    return doesNotFit("there are no sequences");
  Facts fed, state;
  appendFacts(state, c.inputs, 0, states);
  auto items = elementFacts(c, states, sequences);
  if (!items) return doesNotFit(items.error());
  fed = state;
  appendFacts(fed, *items, 0, items->size());
  appendFacts(fed, c.inputs, states + sequences, c.inputs.size());
  if (auto wrong = inputMismatch(c, *c.bodies[0], fed, "the cell")) return doesNotFit(*wrong);
  if (auto wrong = outputMismatch(c, *c.bodies[0], 0, state, "the cell")) return doesNotFit(*wrong);
  Facts out = state;
  Facts results = collected(c, *c.bodies[0], states, c.inputs[states].shape[0]);
  appendFacts(out, results, 0, results.size());
  return out;
}

// An element of stacked results reads the elements of the sequences up to its own position.
AxisMap loopAxes(const InferContext& c) {
  const auto [states, sequences] = c.as<LoopAttributes>();
  const AxisWindow window = precedingWindow(c.dims, c.inputs[states].shape[0]);
  AxisMap map;
  for (std::size_t i = states; i < c.declared.size(); ++i)
    if (isStacked(c, *c.bodies[0], i))
      for (std::size_t k = states; k < states + sequences; ++k) map.links.push_back({i, 0, {k, 0}, window});
  return map;
}

}  // namespace

constinit const Rules loopRules{loopFacts, noFlops, loopAxes};

}  // namespace axle::ir
