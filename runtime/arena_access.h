// Finds kernels that use memory of the arena which is not theirs. Does something in builds with AddressSanitizer only.
#pragma once

#include "runtime/program.h"

namespace axle::runtime {

#ifdef __SANITIZE_ADDRESS__

// While a graph runs, lets each step use its own parts of the arena alone.
class ArenaAccess {
 public:
  explicit ArenaAccess(const BoundGraph& graph);
  ~ArenaAccess();
  ArenaAccess(const ArenaAccess&) = delete;
  ArenaAccess& operator=(const ArenaAccess&) = delete;

  // For the step that runs next, once it is prepared: its tensors, workspace and bodies, and the tensors of the steps
  // that it runs too.
  void open(const Step& step);

 private:
  void openTensor(const TensorView& view, std::uint64_t bytes);
  void openRange(const void* from, std::uint64_t bytes);

  std::byte *begin_ = nullptr, *end_ = nullptr;
};

#else

struct ArenaAccess {
  explicit ArenaAccess(const BoundGraph&) {}
  void open(const Step&) {}
};

#endif

}  // namespace axle::runtime
