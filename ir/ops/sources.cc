// Sources: nodes without inputs that are not operators of the runtime.
#include "ir/ops/families.h"

namespace axle::ir {

namespace {

Inferred declaredFacts(const InferContext& c) { return c.declared; }

}  // namespace

std::span<const OpRow> sourceOps() {
  // clang-format off
  static constexpr OpRow rows[] = {
      // op         name        inputs  outputs ints bodies folding      facts cost
      {Op::none,     "OP_NONE",  {0, 0}, {0, any}, {},  0, never, declaredFacts, noFlops},
      {Op::input,    "INPUT",    {0, 0}, {1, 1}, {},  0, never, declaredFacts, noFlops},
      {Op::constant, "CONSTANT", {0, 0}, {1, 1}, {},  0, never, declaredFacts, noFlops},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::ir
