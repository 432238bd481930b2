// What a run gave, for people, for programs and as files.
#pragma once

#include <string>
#include <vector>

#include "runtime/tensor.h"
#include "driver/run/failure.h"

namespace axle::run {

// `out : f32 [2, 3]`, then the values if they are few, else their range; lines end in '\n'.
std::string outputText(const std::string& name, const runtime::TensorView& tensor);

// `time: min 1.2 ms, median 1.3 ms, p99 2 ms over 10 runs`. At least one time.
std::string timesText(std::vector<double> milliseconds);

// Where `-o` puts an output: `/` and `:` of its name become `.`; of a very long one its sum stands for the middle.
std::string outputPath(const std::string& folder, const std::string& name);

struct NamedView {
  std::string name;
  runtime::TensorView view;
};

// One npy each, made whole or not at all, the folder made if it is missing; where names are too long for files, which
// is which is in `names.tsv`. Refuses two names that come to one file.
Outcome<void> writeOutputs(const std::string& folder, const std::vector<NamedView>& outputs);

}  // namespace axle::run
