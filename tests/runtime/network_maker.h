// Makes and runs bundles of tensors with known sizes, f32 unless told otherwise, some of whose calls may run in rows
// (by_rows.h, strips.h).
#pragma once

#include <string>
#include <vector>

#include "tests/runtime/bundle_maker.h"

namespace axle::runtime::test {

struct Ran {
  std::vector<float> out;
  std::uint64_t arenaBytes = 0, macs = 0;
};

struct NetworkMaker {
  using Sizes = std::vector<std::int64_t>;

  Maker maker;
  std::vector<Tensor> inputs;

  // The numbers of the values that these add.
  std::uint32_t input(const std::string& name, const Sizes& sizes, const std::vector<float>& elements);
  std::uint32_t constant(const Sizes& sizes, const std::vector<float>& elements);
  std::uint32_t add(std::uint32_t op, const std::vector<std::uint32_t>& operands, const Sizes& sizes,
                    const Sizes& attributes = {}, Elem elem = Elem::f32);

  manifest::Node& last() { return maker.manifest.graph.nodes.back(); }
  void output(std::uint32_t value, const Sizes& sizes);

  // The output, after all calls but the last one were marked to run in rows, or not to.
  Ran run(bool byRows, std::int64_t threads);
};

std::int64_t elementsOf(const NetworkMaker::Sizes& sizes);

}  // namespace axle::runtime::test
