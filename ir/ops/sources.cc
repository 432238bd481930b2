// Sources: what has no inputs and is no operator of the runtime.
#include "ir/ops/families.h"

namespace axle::ir {

namespace {

Inferred keep(const InferContext& c) { return c.declared; }

}  // namespace

std::span<const OpRow> sourceOps() {
  // clang-format off
  static constexpr OpRow rows[] = {
      // op         name        inputs  outputs ints bodies folding      facts cost
      {Op::none,     "OP_NONE",  {0, 0}, {0, any}, {},  0, Folding::never, keep, noFlops},
      {Op::input,    "INPUT",    {0, 0}, {1, 1}, {},  0, Folding::never, keep, noFlops},
      {Op::constant, "CONSTANT", {0, 0}, {1, 1}, {},  0, Folding::never, keep, noFlops},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::ir
