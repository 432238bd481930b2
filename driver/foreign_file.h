// Files of other systems that are given as a model: what they are, and what to do with them.
#pragma once

#include <optional>
#include <string>

#include "driver/run/failure.h"

namespace axle::driver {

// The refusal of a file that holds a model or tensors of another system (ONNX, TensorFlow Lite, HDF5, Keras, NumPy,
// PyTorch, safetensors), recognised by its contents, else by its suffix. None for every other file, and for what is
// named as a graph is: the reader of graphs says what those files are.
std::optional<run::Failure> refuseForeignFile(const std::string& path);

}  // namespace axle::driver
