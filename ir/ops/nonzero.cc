// The positions of elements that are not 0; only the run knows their number.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred nonzeroFacts(const InferContext& c) {
  if (c.declared[0].shape.size() != 2) return doesNotFit("the positions are no matrix");
  return one(Elem::i64, {c.declared[0].shape[0], c.dims.constant(static_cast<std::int64_t>(c.inputs[0].shape.size()))});
}

}  // namespace

constinit const Rules nonzeroRules{nonzeroFacts, flopsOfInput, noAxes};

}  // namespace axle::ir
