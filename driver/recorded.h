// Tensors that another run recorded by name: a folder of npy files, or a file of tensors.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/run/inputs.h"
#include "io/tensor_file.h"

namespace axle::driver {

class Recorded {
 public:
  // Reads only the names. A recording that does not exist or has no tensors is an error of the command line.
  static run::Outcome<Recorded> open(const std::string& path);

  // Adds another name of `port` in the recording, for when its own name is not found.
  void addName(const std::string& port, std::string name) { otherNames_[port] = std::move(name); }
  // Adds the graph's names from source that was emitted from a graph: `/// output `out`: dense/Softmax`.
  void addNamesOf(const std::string& sourcePath);
  // Returns the recorded name of the tensor that a port's name means, with or without port 0, and as spelled in file
  // names or not: `conv1/Relu:0` matches `conv1/Relu` and `conv1.Relu.0`.
  std::optional<std::string> find(const std::string& port) const;
  // The file that has the tensor that a port's name means, and its index in the file.
  struct Place {
    TensorFile file;
    std::size_t index;
  };
  std::optional<Place> fileOf(const std::string& port) const;
  // Returns the recorded tensor `name` as a value of that port. None for text and for element types that Axle lacks.
  run::Outcome<std::optional<run::PortValue>> read(const std::string& name, std::size_t port) const;

  const std::string& path() const { return path_; }
  const std::set<std::string>& names() const { return names_; }

 private:
  std::optional<std::string> findSpelled(const std::string& port) const;

  std::string path_;
  std::set<std::string> names_;
  std::map<std::string, std::string> otherNames_;
  std::optional<TensorFile> file_;  // none: a folder
};

}  // namespace axle::driver
