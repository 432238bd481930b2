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
  std::vector<std::string> types;                // of the outputs, `_` where a size is the run's
  bool stops = false;                            // the compiler takes it, and the run ends with a fault
};

const std::vector<Case>& cases();

// Compiles and runs the program with the given declarations. Empty if it does what the case says, else the difference.
std::string failure(const Case& of, std::span<const CoreOp> operators = coreOps());

}  // namespace axle::test
