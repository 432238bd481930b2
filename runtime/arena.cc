#include "runtime/arena.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "io/sorting.h"
#include "runtime/bundle_format.h"
#include "runtime/tensor.h"

namespace axle::runtime {

constexpr std::uint64_t addressable =
    static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) - tensorAlignment;
const std::uint64_t addressableBytes = addressable;

namespace {

// The free ranges below `top`, in order of offset; no two are adjacent.
class FreeList {
 public:
  std::uint64_t allocate(std::uint64_t bytes) {
    auto best = holes_.end();
    for (auto hole = holes_.begin(); hole != holes_.end(); ++hole)
      if (hole->bytes >= bytes && (best == holes_.end() || hole->bytes < best->bytes)) best = hole;
    if (best != holes_.end()) {
      const std::uint64_t offset = best->offset;
      best->offset += bytes, best->bytes -= bytes;
      if (best->bytes == 0) holes_.erase(best);
      return offset;
    }
    std::uint64_t offset = top_;
    if (!holes_.empty() && holes_.back().offset + holes_.back().bytes == top_) {
      offset = holes_.back().offset;
      holes_.pop_back();
    }
    top_ = offset + bytes;
    return offset;
  }

  void release(std::uint64_t offset, std::uint64_t bytes) {
    auto after = std::upper_bound(holes_.begin(), holes_.end(), offset,
                                  [](std::uint64_t at, const Hole& hole) { return at < hole.offset; });
    if (after != holes_.end() && offset + bytes == after->offset) {
      after->offset = offset, after->bytes += bytes;
    } else {
      after = holes_.insert(after, {offset, bytes});
    }
    if (after == holes_.begin()) return;
    const auto before = after - 1;
    if (before->offset + before->bytes != after->offset) return;
    before->bytes += after->bytes;
    holes_.erase(after);
  }

  std::uint64_t top() const { return top_; }

 private:
  struct Hole {
    std::uint64_t offset, bytes;
  };
  std::vector<Hole> holes_;
  std::uint64_t top_ = 0;
};

// The blocks needed at the current step, as a heap with the one that ends first on top.
class Live {
 public:
  auto later() const {
    return [this](std::size_t a, std::size_t b) { return blocks_[a].last > blocks_[b].last; };
  }

  explicit Live(std::span<const Block> blocks) : blocks_(blocks) {}

  void add(std::size_t block) {
    heap_.push_back(block);
    std::push_heap(heap_.begin(), heap_.end(), later());
  }
  // Calls ended(block) for each block that ends before step `first`, and forgets it.
  template <class Ended>
  void endBefore(std::uint32_t first, Ended ended) {
    while (!heap_.empty() && blocks_[heap_.front()].last < first) {
      std::pop_heap(heap_.begin(), heap_.end(), later());
      ended(heap_.back());
      heap_.pop_back();
    }
  }

 private:
  std::span<const Block> blocks_;
  std::vector<std::size_t> heap_;
};

// Places blocks in order of time, each into the smallest free range that it fits into.
std::optional<std::uint64_t> planByTime(std::span<Block> blocks) {
  FreeList memory;
  Live live(blocks);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Block& block = blocks[i];
    live.endBefore(block.first, [&](std::size_t b) { memory.release(blocks[b].offset, alignUp(blocks[b].bytes)); });
    if (block.bytes == 0) continue;
    block.offset = memory.allocate(alignUp(block.bytes));
    if (memory.top() > addressable) return std::nullopt;
    live.add(i);
  }
  return memory.top();
}

// Places blocks in the given order, each at the lowest offset that is free in all of its steps.
std::uint64_t planInOrder(std::span<Block> blocks, std::span<const std::size_t> order) {
  std::vector<std::size_t> byOffset;  // of blocks that have a place
  std::uint64_t total = 0;
  for (std::size_t at : order) {
    Block& block = blocks[at];
    if (block.bytes == 0) continue;
    std::uint64_t offset = 0;
    for (std::size_t other : byOffset) {
      const Block& b = blocks[other];
      if (b.last < block.first || b.first > block.last) continue;
      if (b.offset >= offset + alignUp(block.bytes)) break;
      offset = std::max(offset, b.offset + alignUp(b.bytes));
    }
    block.offset = offset;
    total = std::max(total, offset + alignUp(block.bytes));
    byOffset.insert(std::upper_bound(byOffset.begin(), byOffset.end(), offset,
                                     [&](std::uint64_t o, std::size_t b) { return o < blocks[b].offset; }),
                    at);
  }
  return total;
}

// Orders in which greedy placement does well: larger blocks first, blocks with longer lives first, or both.
constexpr int orders = 3;
bool comesFirst(const Block& a, const Block& b, int order) {
  const std::uint64_t aSteps = a.last - a.first, bSteps = b.last - b.first;
  switch (order) {
    case 0:
      return a.bytes != b.bytes ? a.bytes > b.bytes : aSteps > bSteps;
    case 1:
      return aSteps != bSteps ? aSteps > bSteps : a.bytes > b.bytes;
    default:
      return static_cast<double>(a.bytes) * static_cast<double>(aSteps + 1) >
             static_cast<double>(b.bytes) * static_cast<double>(bSteps + 1);
  }
}

// planInOrder is quadratic in the number of blocks.
constexpr std::size_t mostBlocksToOrder = 4096;

// Returns how often an order is corrected: less often for more blocks.
int correctionsFor(std::size_t blocks) {
  constexpr std::size_t most = 32, pairs = 1 << 20;
  return static_cast<int>(std::min(most, pairs / (blocks * blocks)));
}

// Moves the block that ends at the highest address to the front, where it gets a low offset. Returns false if it is in
// front already.
bool correctOrder(std::span<const Block> blocks, std::span<std::size_t> order) {
  const auto end = [&](std::size_t block) { return blocks[block].offset + alignUp(blocks[block].bytes); };
  std::size_t top = 0;
  for (std::size_t i = 1; i < order.size(); ++i)
    if (blocks[order[i]].bytes > 0 && end(order[i]) > end(order[top])) top = i;
  for (std::size_t i = top; i > 0; --i) std::swap(order[i], order[i - 1]);
  return top > 0;
}

}  // namespace

std::uint64_t liveBytes(std::span<const Block> blocks) {
  Live live(blocks);
  std::uint64_t now = 0, most = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    live.endBefore(blocks[i].first, [&](std::size_t b) { now -= alignUp(blocks[b].bytes); });
    if (blocks[i].bytes > addressable || now + alignUp(blocks[i].bytes) > addressable) return addressable;
    now += alignUp(blocks[i].bytes);
    most = std::max(most, now);
    live.add(i);
  }
  return most;
}

std::optional<std::uint64_t> planArena(std::span<Block> blocks) {
  for (const Block& block : blocks)
    if (block.bytes > addressable) return std::nullopt;
  const auto total = planByTime(blocks);
  const std::uint64_t least = liveBytes(blocks);
  if (!total || *total == least || blocks.size() > mostBlocksToOrder) return total;
  std::uint64_t best = *total;
  std::vector<Block> tried(blocks.begin(), blocks.end());
  std::vector<std::size_t> order(blocks.size());
  for (int o = 0; o < orders && best > least; ++o) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    sortItems(std::span(order), [&](std::size_t a, std::size_t b) {
      return comesFirst(blocks[a], blocks[b], o) || (!comesFirst(blocks[b], blocks[a], o) && a < b);
    });
    for (int left = correctionsFor(blocks.size()); best > least; --left) {
      const std::uint64_t bytes = planInOrder(tried, order);
      if (bytes < best) {
        best = bytes;
        std::copy(tried.begin(), tried.end(), blocks.begin());
      }
      if (left <= 0 || !correctOrder(tried, order)) break;
    }
  }
  return best;
}

std::optional<std::uint64_t> completeArena(std::span<Block> blocks) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;  // begins and ends of live blocks, in order
  const auto findOffset = [&](std::uint64_t offset) {
    return std::lower_bound(taken.begin(), taken.end(), std::pair(offset, std::uint64_t{0}));
  };
  Live live(blocks);
  std::uint64_t total = 0;
  const auto place = [&](std::size_t i) {
    const Block& block = blocks[i];
    if (block.offset % tensorAlignment != 0 || block.offset > addressable || block.bytes > addressable - block.offset)
      return false;
    const std::uint64_t end = block.offset + block.bytes;
    const auto at = findOffset(block.offset);
    if ((at != taken.begin() && std::prev(at)->second > block.offset) || (at != taken.end() && at->first < end))
      return false;
    taken.insert(at, {block.offset, end});
    total = std::max(total, alignUp(end));
    live.add(i);
    return true;
  };
  const auto lowestFree = [&](std::uint64_t bytes) {
    std::uint64_t offset = 0;
    for (const auto& [begin, end] : taken) {
      if (begin >= offset && begin - offset >= bytes) break;
      offset = std::max(offset, alignUp(end));
    }
    return offset;
  };
  for (std::size_t i = 0; i < blocks.size();) {
    const std::size_t firstOfStep = i;
    live.endBefore(blocks[i].first, [&](std::size_t b) { taken.erase(findOffset(blocks[b].offset)); });
    for (; i < blocks.size() && blocks[i].first == blocks[firstOfStep].first; ++i)
      if (blocks[i].isGiven && blocks[i].bytes > 0 && !place(i)) return std::nullopt;
    for (std::size_t k = firstOfStep; k < i; ++k) {
      if (blocks[k].isGiven || blocks[k].bytes == 0) continue;
      if (blocks[k].bytes > addressable) return std::nullopt;
      blocks[k].offset = lowestFree(blocks[k].bytes);
      if (!place(k)) return std::nullopt;
    }
  }
  return total;
}

}  // namespace axle::runtime
