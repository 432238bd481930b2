// Reads the inputs of a run from npy and WAV files or draws them from the seed, and reads expected outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "driver/run/failure.h"
#include "driver/run/options.h"
#include "io/tensor_file.h"
#include "runtime/session.h"

namespace axle::run {

// A tensor for a port, given by index. It is aligned for its type. `owner` keeps the elements alive.
struct PortValue {
  std::size_t port = 0;
  std::string file;  // empty when drawn
  runtime::TensorView view;
  std::shared_ptr<const void> owner;
  std::string note = {};  // what to say of the file; mostly empty
};

// Prints the notes, a line each.
void printNotes(std::span<const PortValue> values, std::FILE* err);

// Makes a tensor of a file the value of a port. Messages call it `who`: "input x".
Outcome<PortValue> portValue(std::size_t port, const std::string& who, const std::string& file, Elem elem,
                             const std::vector<std::uint64_t>& shape, const TensorBytes& data);

// Checks that the words of `-i` and `--expect` are NAME=FILE and that these files exist. Needs no session.
Outcome<void> checkFiles(const RunOptions& options);

// Returns the inputs of `-i`; without any `-i`, draws every input. `bind` reports missing inputs.
Outcome<std::vector<PortValue>> takeInputs(const runtime::Session& session, const RunOptions& options);

// Returns the values of `--expect`.
Outcome<std::vector<PortValue>> takeExpectations(const runtime::Session& session, const RunOptions& options);

// Returns the outputs that `--output` names; without that option, all.
Outcome<std::vector<std::size_t>> takeOutputs(const runtime::Session& session, const RunOptions& options);

// Parses `--set` words as sizes.
Outcome<std::vector<runtime::NamedSize>> takeSizes(const std::vector<std::string>& sets);

}  // namespace axle::run
