// Sorts with little code, for lists that are rarely sorted: all element types and orders share one function.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace axle {

// Items that are compared and exchanged by index.
struct ItemsToSort {
  const void* context;
  std::size_t count;
  bool (*comesBefore)(const void* context, std::size_t a, std::size_t b);
  void (*exchange)(const void* context, std::size_t a, std::size_t b);
};
void heapSort(const ItemsToSort& items);

// Sorts like std::sort: equivalent items may end up in any order.
template <class T, class Before>
void sortItems(std::span<T> items, Before before) {
  struct Context {
    T* items;
    Before* before;
  } const context{items.data(), &before};
  heapSort({&context, items.size(),
            [](const void* kept, std::size_t a, std::size_t b) -> bool {
              const auto& [all, isBefore] = *static_cast<const Context*>(kept);
              return (*isBefore)(all[a], all[b]);
            },
            [](const void* kept, std::size_t a, std::size_t b) {
              using std::swap;
              T* all = static_cast<const Context*>(kept)->items;
              swap(all[a], all[b]);
            }});
}
template <class T>
void sortItems(std::span<T> items) {
  sortItems(items, [](const T& a, const T& b) { return a < b; });
}

}  // namespace axle
