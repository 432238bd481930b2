// Runs steps while a condition holds.
#include "ir/ops/bodies.h"
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred whileLoopFacts(const InferContext& c) {
  const std::size_t states = c.as<WhileAttributes>().states;
  if (states > c.inputs.size()) return doesNotFit("there are fewer inputs than states");
  Facts fed, state;
  appendFacts(fed, c.inputs, 0, c.inputs.size());
  appendFacts(state, c.inputs, 0, states);
  if (auto wrong = inputMismatch(c, *c.bodies[0], fed, "the condition")) return doesNotFit(*wrong);
  if (auto wrong = inputMismatch(c, *c.bodies[1], fed, "the step")) return doesNotFit(*wrong);
  if (auto wrong = outputMismatch(c, *c.bodies[0], 0, {Fact{Elem::boolean, {}, {}}}, "the condition"))
    return doesNotFit(*wrong);
  if (auto wrong = outputMismatch(c, *c.bodies[1], 0, state, "the step")) return doesNotFit(*wrong);
  return state;
}

}  // namespace

constinit const Rules whileLoopRules{whileLoopFacts, noFlops, noAxes};

}  // namespace axle::ir
