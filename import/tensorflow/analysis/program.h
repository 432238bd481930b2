// Turns the analysed graph into a typed program, compiled like one from text: the function of an entry, and its
// weights.
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
  std::map<std::uint32_t, Site> producers;  // by opaque binding: the node that computes its value
  std::set<Site> tried;                     // nodes whose values were requested
};

// Returns the value of a constant: a weight of the program, or one element repeated.
TypedId constantValue(Analysis& analysis, const std::string& name, std::shared_ptr<const Tensor> tensor, Span at);

// Defines the function `main` (`GraphTyper::define`), which takes the model's inputs and returns its outputs, in their
// order. Call it after `run`. Returns false, with an error, if the outputs depend on nodes whose values cannot be
// computed.
bool defineMain(Analysis& analysis);

// Returns, by binding, the outlets with its value, in all frames (`conv1/Relu:0`).
std::map<std::uint32_t, std::vector<std::string>> outletNames(const Analysis& analysis);

// Returns the bytes of a weight of the program: a constant's, or a variable's from its checkpoint.
FileResult<TensorBytes> weightBytes(const Analysis& analysis, std::uint32_t index);

}  // namespace axle::tensorflow
