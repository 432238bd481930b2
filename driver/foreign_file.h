// Refuses files of other systems that are given as a model.
#pragma once

#include <optional>
#include <string>

#include "driver/run/failure.h"

namespace axle::driver {

// Returns what a file of another system is (ONNX, TensorFlow Lite, HDF5, Keras, NumPy, PyTorch, safetensors) and what
// to do with it, determined by its contents, or else its name. None for every other file, and for a file that is named
// like a graph: the reader of graphs reports what that is.
std::optional<run::Failure> refuseForeignFile(const std::string& path);

}  // namespace axle::driver
