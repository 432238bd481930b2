// Random numbers from a seed.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred randomBitsFacts(const InferContext& c) {
  if (c.inputs[0].elem != Elem::u64 || !c.inputs[0].shape.empty()) return doesNotFit("the seed is not a scalar u64");
  return one(Elem::u64, c.declared[0].shape);
}

}  // namespace

constinit const Rules randomBitsRules{randomBitsFacts, flopsOfOutput, noAxes};

}  // namespace axle::ir
