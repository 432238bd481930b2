#include "io/sorting.h"

namespace axle {

void heapSort(const ItemsToSort& items) {
  // Restores the heap of the items before `end`, largest first, when only the item `at` may be out of place.
  const auto sink = [&](std::size_t at, std::size_t end) {
    for (std::size_t child = 2 * at + 1; child < end; child = 2 * at + 1) {
      if (child + 1 < end && items.comesBefore(items.context, child, child + 1)) ++child;
      if (!items.comesBefore(items.context, at, child)) return;
      items.exchange(items.context, at, child);
      at = child;
    }
  };
  for (std::size_t at = items.count / 2; at > 0; --at) sink(at - 1, items.count);
  for (std::size_t end = items.count; end > 1; --end) {
    items.exchange(items.context, 0, end - 1);
    sink(0, end - 1);
  }
}

}  // namespace axle
