// Reads and runs the cases of cases.txt, which make_cases.py writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/tensor.h"
#include "tests/operators/program.h"

namespace axle::test {

struct Case {
  std::string op, program;
  std::string code;  // of the diagnostic; empty: any error of types
  double relative = 0, absolute = 0;
  std::vector<runtime::Tensor> inputs, outputs;  // without outputs: the compiler must refuse the program
  std::vector<std::string> types;                // of the outputs, with `_` for a size known only in the run
  bool stops = false;                            // the compiler accepts it, and the run ends with a fault
};

const std::vector<Case>& cases();

// Compiles and runs the program with the given declarations. Returns the difference from the case; empty if there is
// none.
std::string failure(const Case& of, std::span<const CoreOp> operators = coreOps());

}  // namespace axle::test
