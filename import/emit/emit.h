// Writes a checked program that was built from a graph as a source file, and names its weights.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "io/tensor_file.h"
#include "typecheck/check.h"

namespace axle::emit {

struct Request {
  std::vector<std::string> doc;          // comment lines at the head of the file
  std::vector<std::string> outputNames;  // the names of the entry's outputs in the graph
  // Reads the bytes of a weight of the program.
  std::function<FileResult<TensorBytes>(std::uint32_t)> weight;
  // Checks a text that imports only modules of the standard library. The text is source 0 of the diagnostics.
  std::function<Diagnostics(const std::string&)> check;
};

struct EmittedWeight {
  std::string name;
  std::uint32_t weight = 0;  // index into the program's weights
};

struct Emitted {
  std::string text;
  std::vector<EmittedWeight> weights;
  std::vector<std::string> inputs, outputs;  // of the entry, in the text
  std::vector<std::string> inputNames;       // of the inputs, in the graph
};

// Equates sizes that broadcast in the last function of the program and may each be 1, because a text cannot state that.
// Does so for sizes of a result that would not follow from those of the parameters; with `inside`, for all sizes that
// would not, except run-time sizes. Returns the equations: `m is n`.
std::vector<std::string> equateOpenSizes(Checked& checked, bool inside);

// The reason why no text can be written.
struct Refusal {
  std::string why;  // one sentence
  std::optional<Span> place;
  std::string node;  // a node of the graph, if the place is not known; may be empty
};

// Returns a text that passes the type checker.
tl::expected<Emitted, Refusal> emit(Checked& checked, const Entry& entry, const Request& request);

}  // namespace axle::emit
