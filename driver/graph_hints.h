// What is known of a graph's inputs beside the graph itself.
#pragma once

#include <vector>

#include "driver/graph.h"
#include "import/tensorflow/analysis/hints.h"

namespace axle::driver {

// What the files of the inputs tell of a model: shapes, small values that sizes may follow from, and which text inputs
// are WAV files. A file that contradicts the model gives no hint: the run refuses it.
std::vector<tensorflow::Hint> hintsFromFiles(const tensorflow::Model& model, const GraphRequest& request);

// A text input that the graph decodes as a WAV file is given as samples in source. The graph may compute with the
// sample rate, which it does not state: that of speech is assumed.
std::vector<tensorflow::Hint> hintsForSound(const tensorflow::Model& model);

// An axis of an input that `--input x=f32[~T, 40]` marks as streamed.
struct StreamedAxis {
  std::string input;  // of the model
  std::size_t axis = 0;
};
std::vector<StreamedAxis> streamedAxes(const tensorflow::Model& model, const tensorflow::Choice& choice);

}  // namespace axle::driver
