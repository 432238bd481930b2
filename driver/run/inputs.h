// Tensors that a run command is given: from npy files, or drawn from the seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/tensor_file.h"
#include "runtime/session.h"
#include "driver/run/failure.h"
#include "driver/run/options.h"

namespace axle::run {

// A tensor for the port of that index, at an address fit for its type. `owner` keeps the elements.
struct PortValue {
  std::size_t port = 0;
  std::string file;  // empty when drawn
  runtime::TensorView view;
  std::shared_ptr<const void> owner;
};

// A tensor of a file, for that port; `who` is what a message calls it.
Outcome<PortValue> portValue(std::size_t port, const std::string& who, const std::string& file, Elem elem,
                             const std::vector<std::uint64_t>& shape, const TensorBytes& data);

// Whether the words of `-i` and `--expect` are NAME=FILE and their files are there: what can be said before there is a
// session.
Outcome<void> checkFiles(const RunOptions& options);

// The inputs of `-i`; without any of these or `--expect`, one drawn for each input. Missing ones are left to `bind`.
Outcome<std::vector<PortValue>> takeInputs(const runtime::Session& session, const RunOptions& options);

// What `--expect` names, by output.
Outcome<std::vector<PortValue>> takeExpectations(const runtime::Session& session, const RunOptions& options);

// The outputs that `--output` names, all without it.
Outcome<std::vector<std::size_t>> takeOutputs(const runtime::Session& session, const RunOptions& options);

// `--set` words as sizes.
Outcome<std::vector<runtime::NamedSize>> takeSizes(const std::vector<std::string>& sets);

}  // namespace axle::run
