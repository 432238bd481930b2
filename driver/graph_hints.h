// Collects hints about a graph's inputs that come from outside of the graph.
#pragma once

#include <vector>

#include "driver/graph.h"
#include "import/tensorflow/analysis/hints.h"

namespace axle::driver {

// Returns hints from the files of a model's inputs: shapes, small values that sizes may follow from, and which text
// inputs are WAV files. A file that contradicts the model gives no hint: the run refuses it.
std::vector<tensorflow::Hint> hintsFromFiles(const tensorflow::Model& model, const GraphRequest& request);

// Returns hints for text inputs that the graph decodes as WAV files: emitted source takes samples instead. The graph
// may compute with the sample rate, which it does not state; assumes that of speech.
std::vector<tensorflow::Hint> hintsForSound(const tensorflow::Model& model);

// An axis of an input that `--input x=f32[~T, 40]` marks as streamed.
struct StreamedAxis {
  std::string input;  // of the model
  std::size_t axis = 0;
};
std::vector<StreamedAxis> streamedAxes(const tensorflow::Model& model, const tensorflow::Choice& choice);

}  // namespace axle::driver
