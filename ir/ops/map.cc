// Runs a body for each element of sequences.
#include "ir/ops/bodies.h"
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred mapFacts(const InferContext& c) {
  const std::size_t sequences = c.as<MapAttributes>().sequences;
  if (sequences == 0 || sequences > c.inputs.size()) return doesNotFit("there are no sequences");
  auto fed = elementFacts(c, 0, sequences);
  if (!fed) return doesNotFit(fed.error());
  appendFacts(*fed, c.inputs, sequences, c.inputs.size());
  if (auto wrong = inputMismatch(c, *c.bodies[0], *fed, "the function")) return doesNotFit(*wrong);
  return collected(c, *c.bodies[0], 0, c.inputs[0].shape[0]);
}

// An element of stacked results reads one element of each sequence.
AxisMap mapAxes(const InferContext& c) {
  AxisMap map;
  for (std::size_t i = 0; i < c.declared.size(); ++i)
    if (isStacked(c, *c.bodies[0], i))
      for (std::size_t k = 0; k < c.as<MapAttributes>().sequences; ++k)
        map.links.push_back({i, 0, {k, 0}, std::nullopt});
  return map;
}

}  // namespace

constinit const Rules mapRules{mapFacts, noFlops, mapAxes};

}  // namespace axle::ir
