// Runs mutants of bundles that the compiler wrote: mutate_bundles BUNDLE...
#include <cstdio>

#include "io/mapped_file.h"
#include "tests/runtime/mutants.h"

int main(int argc, char** argv) {
  using namespace axle::runtime::test;
  for (int i = 1; i < argc; ++i) {
    const auto file = axle::mapFile(argv[i]);
    if (!file) {
      std::fprintf(stderr, "%s: cannot be read\n", argv[i]);
      return 1;
    }
    const MutantCounts counts = runMutants(file->bytes, mutantsOf(1000), static_cast<unsigned>(i));
    std::printf("%s: %zu mutants: %zu refused at load, %zu at bind, %zu stopped, %zu ran\n", argv[i], counts.all(),
                counts.refusedAtLoad, counts.refusedAtBind, counts.stopped, counts.ran);
    if (counts.refusedAtLoad == 0 || counts.refusedAtBind == 0 || counts.ran == 0) return 1;
  }
  return argc > 1 ? 0 : 1;
}

extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
