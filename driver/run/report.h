// Prints the results of a run as text, and writes them to files.
#pragma once

#include <string>
#include <vector>

#include "driver/run/failure.h"
#include "runtime/tensor.h"

namespace axle::run {

// Returns `out : f32 [2, 3]`, then all values if there are few, or else their range. Each line ends in '\n'.
std::string outputText(const std::string& name, const runtime::TensorView& tensor);

// Returns `time: min 1.2 ms, median 1.3 ms, p99 2 ms over 10 runs`. Requires at least one time.
std::string timesText(std::vector<double> milliseconds);

// Returns the number of elements that are NaN.
std::size_t nanCount(const runtime::TensorView& tensor);
// Returns `` `out` has NaN in 2 of 10 elements ``.
std::string nanText(const std::string& output, std::uint64_t nans, std::uint64_t elements);

// Returns the file to which `-o` writes an output. `/` and `:` in its name become `.`; in a very long name, a checksum
// replaces the middle.
std::string outputPath(const std::string& folder, const std::string& name);

struct NamedView {
  std::string name;
  runtime::TensorView view;
};

// Writes each output as an npy file, whole or not at all, and creates a missing folder. If names are too long for
// files, `names.tsv` lists the tensor of each file. It is an error if two names give the same file.
Outcome<void> writeOutputs(const std::string& folder, const std::vector<NamedView>& outputs);

}  // namespace axle::run
