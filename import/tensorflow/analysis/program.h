// The analysed graph as a typed program: the function of an entry, compiled as text is, and its weights.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "import/tensorflow/analysis/frame.h"
#include "io/tensor_file.h"

namespace axle::tensorflow {

struct Analysis;

struct ProgramParts {
  std::vector<std::variant<std::shared_ptr<const Tensor>, VariableId>> weights;  // in the program's order
  std::map<std::uint32_t, Site> producers;  // by opaque binding: the node that makes its value
  std::set<Site> tried;                     // nodes whose values were asked for
};

// The value of a constant: a weight of the program, or one element repeated.
TypedId constantValue(Analysis& analysis, const std::string& name, std::shared_ptr<const Tensor> tensor, Span at);

// After `run`: makes the function `main` of the model's inputs, which gives its outputs, in their order
// (`GraphTyper::define`). False, with an error, where the outputs need nodes whose values cannot be computed.
bool defineMain(Analysis& analysis);

// By binding: the outlets that have its value, in all frames (`conv1/Relu:0`).
std::map<std::uint32_t, std::vector<std::string>> outletNames(const Analysis& analysis);

// The bytes of a weight of the program: a constant's, or a variable's from its checkpoint.
FileResult<TensorBytes> weightBytes(const Analysis& analysis, std::uint32_t index);

}  // namespace axle::tensorflow
