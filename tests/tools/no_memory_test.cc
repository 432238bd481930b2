// A program without exceptions, like axrun on a device, which ends with an error when memory runs out: no_memory_test
// CASE.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

// Allocates quarters of the address space: the fourth is too much at the latest, with addresses of 32 bits too.
void largeAllocation() {
  std::vector<char> quarters[4];
  for (std::vector<char>& each : quarters) {
    each.reserve(static_cast<std::size_t>(-1) / 4);
    std::printf("%p\n", static_cast<void*>(each.data()));  // used, since compilers remove unused allocations
  }
}

void growingText() {
  std::string text;
  for (;;) text.reserve(text.capacity() * 2);  // does not touch it
}

void impossibleSize() {
  std::vector<double> never;
  never.reserve(static_cast<std::size_t>(-1));
}

struct Case {
  const char* name;
  void (*run)();
};
constexpr Case cases[] = {
    {"large_allocation", largeAllocation}, {"growing_text", growingText}, {"impossible_size", impossibleSize}};

}  // namespace

int main(int argc, char** argv) {
  for (const Case& each : cases)
    if (argc == 2 && std::strcmp(argv[1], each.name) == 0) each.run();
  return 0;  // not reached by a case
}
