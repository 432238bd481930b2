// Reads goldens.txt; make_goldens.py describes its format.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "runtime/manifest.h"
#include "runtime/tensor.h"

namespace axle::runtime::test {

struct GoldenNode {
  std::uint32_t op = 0;
  std::vector<std::uint32_t> inputs, outputs, bodies;
  std::vector<std::int64_t> ints;
};

struct GoldenBody {
  std::vector<TensorView> values;  // types and shapes
  std::vector<GoldenNode> nodes;
  std::vector<std::uint32_t> inputs, outputs;
};

struct Golden {
  std::string name;
  std::uint32_t op = 0;
  double relative = 0, absolute = 0;
  std::vector<std::int64_t> ints;
  std::vector<GoldenBody> bodies;
  std::vector<Tensor> inputs, outputs;
};

// Reads `ELEM SHAPE HEX`. Throws as readGoldens does.
Tensor tensorOf(std::istringstream& words);

// Reads a file. Throws std::runtime_error if it does not have the described format.
std::vector<Golden> readGoldens(const std::string& path);

// Returns the differences that exceed the golden's tolerances; empty if there are none.
std::string differences(const TensorView& actual, const Tensor& expected, const Golden& golden);

}  // namespace axle::runtime::test
