// A checked program, one that no text wrote, as a source file and a file of weights.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "io/tensor_file.h"
#include "typecheck/check.h"

namespace axle::emit {

struct Request {
  std::vector<std::string> doc;          // comment lines for the head of the file
  std::vector<std::string> outputNames;  // of the entry's, as the graph calls them
  // Bytes of a weight of the program.
  std::function<FileResult<TensorBytes>(std::uint32_t)> weight;
};

struct EmittedWeight {
  std::string name;
  std::uint32_t weight = 0;  // of the program
};

struct Emitted {
  std::string text;
  std::vector<EmittedWeight> weights;
  std::vector<std::string> inputs, outputs;  // the entry's names, as a run of the text knows them
  std::vector<std::string> inputNames;       // what the graph calls those inputs
};

// Sizes that broadcast in the function that the program ends with, and may each be 1, become one, as text means them,
// where a result's sizes would not follow from the parameters'; `inside`: where anything's would not, but for sizes
// that the run finds. Gives which: `m is n`.
std::vector<std::string> equateOpenSizes(Checked& checked, bool inside);

// What cannot be said in text, or read: one sentence.
struct Refusal {
  std::string why;
  std::optional<Span> place;
  std::string node;  // of the graph, where no place is known; may be empty
};

// A text that it gives checks.
tl::expected<Emitted, Refusal> emit(Checked& checked, const Entry& entry, const Request& request);

}  // namespace axle::emit
