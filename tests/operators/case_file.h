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

// Operators of ragged tensors, and those whose results have sizes that only a run knows: their inputs and shapes are
// more than a case can say, so transcripts of the commands run them (tests/tools/axc/transcripts: found, ragged).
inline bool isRunByTranscripts(std::string_view op) {
  return op == "nonzero" || op == "unique" || op == "to_dense" || op == "to_ragged" || op == "same_lengths";
}

// Empty, or how the program's fate differs from what the case says, by the given declarations.
std::string failure(const Case& of, std::span<const CoreOp> operators = coreOps());

}  // namespace axle::test
