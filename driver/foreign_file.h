// Refuses files of other systems that are given as a model.
#pragma once

#include <optional>
#include <string>

#include "driver/run/failure.h"

namespace axle::driver {

// What a file of another system is (ONNX, TensorFlow Lite, HDF5, Keras, NumPy, PyTorch, safetensors) and what to do
// with it; recognised by its contents, else by its name. None for every other file, and for one that is named as a
// graph is: the reader of graphs says what that is.
std::optional<run::Failure> refuseForeignFile(const std::string& path);

}  // namespace axle::driver
