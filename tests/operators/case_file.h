// cases.txt, as make_cases.py writes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/tensor.h"
#include "tests/operators/program.h"

namespace axle::test {

struct Case {
  std::string op, program;
  std::string code;  // of the diagnostic; empty: any of types
  double relative = 0, absolute = 0;
  std::vector<runtime::Tensor> inputs, outputs;  // without outputs: the compiler must refuse the program
};

const std::vector<Case>& cases();

// Operators whose results have sizes that only a run knows: they are not compiled yet.
inline bool isNotYetRun(std::string_view op) { return op == "nonzero" || op == "unique"; }

// Empty, or how the program's fate differs from what the case says, by the given declarations.
std::string failure(const Case& of, std::span<const CoreOp> operators = coreOps());

}  // namespace axle::test
