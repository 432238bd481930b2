// Tensors that another run wrote down by name: a folder of npy files, or a file of tensors.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/tensor_file.h"
#include "driver/run/inputs.h"

namespace axle::axc {

class Recorded {
 public:
  // Nothing but names is read. One that is not there, or holds nothing, is an error of the command line.
  static run::Outcome<Recorded> open(const std::string& path);

  // `port` is called otherwise there: what is not found by its own name is looked for by that.
  void alsoCalled(const std::string& port, std::string name) { others_[port] = std::move(name); }
  // Of the tensor that a port's name means, as files have it or without: `conv1/Relu:0` is `conv1/Relu`,
  // `conv1.Relu.0`.
  std::optional<std::string> find(const std::string& port) const;
  // A file that has the tensor that a port's name means, and which of its tensors it is.
  struct Place {
    TensorFile file;
    std::size_t index;
  };
  std::optional<Place> fileOf(const std::string& port) const;
  // For that port. None for text and element types that Axle lacks.
  run::Outcome<std::optional<run::PortValue>> read(const std::string& name, std::size_t port) const;

  const std::string& path() const { return path_; }
  const std::set<std::string>& names() const { return names_; }

 private:
  std::optional<std::string> findSpelled(const std::string& port) const;

  std::string path_;
  std::set<std::string> names_;
  std::map<std::string, std::string> others_;
  std::optional<TensorFile> file_;  // none: a folder
};

}  // namespace axle::axc
