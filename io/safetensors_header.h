// Parses the JSON header of a safetensors file; does not check offsets and sizes against the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace axle {

struct SafetensorsEntry {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;  // from the end of the header
  std::uint64_t end = 0;
};

struct SafetensorsHeaderError {
  std::string tensor;  // may be empty
  std::string what;
};

// Returns the entries in the order of the file, each name once. Checks `__metadata__` and leaves it out.
tl::expected<std::vector<SafetensorsEntry>, SafetensorsHeaderError> parseSafetensorsHeader(std::string_view json);

}  // namespace axle
