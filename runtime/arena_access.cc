#include "runtime/arena_access.h"

#ifdef __SANITIZE_ADDRESS__

#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <functional>

#include "runtime/bundle_format.h"

namespace axle::runtime {

ArenaAccess::ArenaAccess(const BoundGraph& graph) {
  if (graph.steps.empty() || graph.arenaBytes == 0) return;
  const Step& first = graph.steps.front();
  begin_ = first.workspace - first.workspaceOffset;
  end_ = begin_ + graph.arenaBytes;
}

ArenaAccess::~ArenaAccess() { ASAN_UNPOISON_MEMORY_REGION(begin_, static_cast<std::size_t>(end_ - begin_)); }

void ArenaAccess::open(const Step& step) {
  ASAN_POISON_MEMORY_REGION(begin_, static_cast<std::size_t>(end_ - begin_));
  for (std::uint32_t k = 0; k <= step.following; ++k) {
    const Step& together = (&step)[k];
    for (int i = 0; i < together.inputCount(); ++i) openTensor(together.in(i), together.in(i).bytes());
    for (int i = 0; i < together.outputCount(); ++i) openTensor(together.out(i), together.capacity(i));
  }
  openRange(step.workspace, step.workspaceBytes);
  openRange(step.workspace + alignUp(step.workspacePlanned), step.bodyBytes);
}

void ArenaAccess::openTensor(const TensorView& view, std::uint64_t bytes) {
  const std::int64_t columns = view.columns();
  if (!view.dense() && bytes != 0) {
    const auto rows = static_cast<std::uint64_t>(view.shape.elements() / columns);
    bytes += (rows - 1) * static_cast<std::uint64_t>(view.pitch - columns) * info(view.elem).bytes;
  }
  openRange(view.data, bytes);
}

void ArenaAccess::openRange(const void* from, std::uint64_t bytes) {
  const std::less<const std::byte*> isBefore;
  const auto* begin = static_cast<const std::byte*>(from);
  if (begin == nullptr || isBefore(begin, begin_) || !isBefore(begin, end_)) return;
  ASAN_UNPOISON_MEMORY_REGION(begin, std::min<std::uint64_t>(bytes, static_cast<std::uint64_t>(end_ - begin)));
}

}  // namespace axle::runtime

#endif
