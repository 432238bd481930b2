// Results of a run: as text, and as files.
#pragma once

#include <string>
#include <vector>

#include "driver/run/failure.h"
#include "runtime/tensor.h"

namespace axle::run {

// `out : f32 [2, 3]`, then the values if they are few, else their range; lines end in '\n'.
std::string outputText(const std::string& name, const runtime::TensorView& tensor);

// `time: min 1.2 ms, median 1.3 ms, p99 2 ms over 10 runs`. At least one time.
std::string timesText(std::vector<double> milliseconds);

// The file that `-o` writes an output to: `/` and `:` in its name become `.`; in a very long name a checksum replaces
// the middle.
std::string outputPath(const std::string& folder, const std::string& name);

struct NamedView {
  std::string name;
  runtime::TensorView view;
};

// Writes one npy each, whole or not at all, and makes the folder if it is missing. Where names are too long for files,
// `names.tsv` tells which file has which tensor. Refuses two names that become one file.
Outcome<void> writeOutputs(const std::string& folder, const std::vector<NamedView>& outputs);

}  // namespace axle::run
