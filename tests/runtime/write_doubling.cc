// Writes the bundle that the test of the C interface loads: x + x for x : f32 [n, 2].
#include <cstdio>

#include "tests/runtime/bundle_maker.h"

int main(int count, char** arguments) {
  using namespace axle;
  using namespace axle::runtime::test;
  if (count != 2) return 2;
  Maker maker;
  const std::uint32_t n = maker.symbol("n", 0, 0), two = maker.constantDim(2);
  const std::uint32_t x = maker.input("x", "f32 [n, 2]", Elem::f32, {n, two});
  const std::uint32_t sum = Maker::value(maker.manifest.graph, Elem::f32, {n, two});
  Maker::node(maker.manifest.graph, op::add, {x, x}, {sum});
  maker.output("out", "f32 [n, 2]", sum);
  const std::vector<std::byte> bundle = maker.bundle();
  std::FILE* file = std::fopen(arguments[1], "wb");
  if (file == nullptr) return 1;
  const bool written = std::fwrite(bundle.data(), 1, bundle.size(), file) == bundle.size();
  return std::fclose(file) == 0 && written ? 0 : 1;
}
