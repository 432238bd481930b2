// Writes the bundles that the tests of the C interface load: x + x for x : f32 [n, 2], and streams of `stream_maker.h`.
#include <cstdio>
#include <string>

#include "tests/runtime/stream_maker.h"

namespace {

using namespace axle;
using namespace axle::runtime::test;

std::vector<std::byte> doubling() {
  Maker maker;
  const std::uint32_t n = maker.symbol("n", 0, 0), two = maker.constantDim(2);
  const std::uint32_t x = maker.input("x", "f32 [n, 2]", Elem::f32, {n, two});
  const std::uint32_t sum = Maker::value(maker.manifest.graph, Elem::f32, {n, two});
  Maker::node(maker.manifest.graph, op::add, {x, x}, {sum});
  maker.output("out", "f32 [n, 2]", sum);
  return maker.bundle();
}

bool write(const std::string& path, const std::vector<std::byte>& bundle) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool written = std::fwrite(bundle.data(), 1, bundle.size(), file) == bundle.size();
  return std::fclose(file) == 0 && written;
}

}  // namespace

// usage: runtime_write_doubling FOLDER
int main(int count, char** arguments) {
  if (count != 2) return 2;
  const std::string folder = std::string(arguments[1]) + "/";
  return write(folder + "doubling.axb", doubling()) && write(folder + "neighbours.axb", neighbours().bundle()) &&
                 write(folder + "everything.axb", everything().bundle())
             ? 0
             : 1;
}
