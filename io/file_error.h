// An error about a file, as a value.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace axle {

struct FileError {
  std::string path;
  std::string tensor;  // empty if the error is about the whole file
  std::string what;    // lower case, no full stop
};

template <class T>
using FileResult = tl::expected<T, FileError>;

inline tl::unexpected<FileError> fileError(std::string path, std::string what, std::string tensor = {}) {
  return tl::unexpected<FileError>(FileError{std::move(path), std::move(tensor), std::move(what)});
}

// Returns `weights.npz: tensor head.bias: what`.
inline std::string describe(const FileError& error) {
  std::string text = error.path + ": ";
  if (!error.tensor.empty()) text += "tensor " + error.tensor + ": ";
  return text + error.what;
}

}  // namespace axle
