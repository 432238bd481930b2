// Maps hashes of interned values to their ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace axle {

// Open addressing: hashes and ids lie in one array, at most three quarters full, so most searches touch one cache line.
// Several values may have the same hash; ids are below UINT32_MAX.
class InternIndex {
 public:
  // Returns the id with this hash for which `isIt(id)` is true.
  template <class IsIt>
  std::optional<std::uint32_t> find(std::uint64_t hash, const IsIt& isIt) const {
    if (slots_.empty()) return std::nullopt;
    for (std::size_t at = home(hash); slots_[at].id != free; at = next(at))
      if (slots_[at].hash == hash && isIt(slots_[at].id)) return slots_[at].id;
    return std::nullopt;
  }

  void insert(std::uint64_t hash, std::uint32_t id) {
    if (4 * (count_ + 1) > 3 * slots_.size()) grow();
    put({hash, id});
    ++count_;
  }

  // The id must be present with this hash.
  void erase(std::uint64_t hash, std::uint32_t id) noexcept {
    std::size_t hole = home(hash);
    while (slots_[hole].id != id) hole = next(hole);
    --count_;
    // Moves each later entry into the hole, unless its search begins behind the hole.
    for (std::size_t at = next(hole); slots_[at].id != free; at = next(at)) {
      const std::size_t mask = slots_.size() - 1;
      if (((at - home(slots_[at].hash)) & mask) < ((at - hole) & mask)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = {};
  }

 private:
  static constexpr std::uint32_t free = UINT32_MAX;
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t id = free;
  };

  std::size_t home(std::uint64_t hash) const { return hash & (slots_.size() - 1); }
  std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
  void put(const Slot& slot) {
    std::size_t at = home(slot.hash);
    while (slots_[at].id != free) at = next(at);
    slots_[at] = slot;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.id != free) put(slot);
  }

  std::vector<Slot> slots_;  // a power of two in number
  std::size_t count_ = 0;
};

}  // namespace axle
