// Runs one of two bodies, chosen by a condition.
#include "ir/ops/bodies.h"
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred branchFacts(const InferContext& c) {
  if (c.inputs[0].elem != Elem::boolean || !c.inputs[0].shape.empty())
    return doesNotFit("the condition is not a scalar bool");
  Facts fed, out;
  appendFacts(fed, c.inputs, 1, c.inputs.size());
  if (auto wrong = inputMismatch(c, *c.bodies[0], fed, "`then`")) return doesNotFit(*wrong);
  if (auto wrong = inputMismatch(c, *c.bodies[1], fed, "`else`")) return doesNotFit(*wrong);
  for (OutletId outlet : c.bodies[0]->outputs) out.push_back(withoutValue((*c.bodies[0])[outlet].fact));
  if (c.bodies[1]->outputs.size() != out.size()) return doesNotFit("the branches differ in their number of results");
  if (auto wrong = outputMismatch(c, *c.bodies[1], 0, out, "`else`")) return doesNotFit(*wrong);
  return out;
}

}  // namespace

constinit const Rules branchRules{branchFacts, noFlops, noAxes};

}  // namespace axle::ir
