// A tensor of sizes, which are the attributes.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred dimsFacts(const InferContext& c) {
  const Dims &shape = c.declared[0].shape, &elements = c.as<DimsAttributes>().elements;
  const Dim count = c.dims.constant(static_cast<std::int64_t>(elements.size()));
  if (alwaysDiffer(c.dims, elementCount(c.dims, shape), count))
    return doesNotFit("the shape does not hold the elements");
  return std::vector<Fact>{Fact{Elem::i64, shape, elements}};
}

}  // namespace

constinit const Rules dimsRules{dimsFacts, noFlops, noAxes};

}  // namespace axle::ir
