// Sets of numbers with structural sharing: equal sets, and equal parts of sets, are stored once, so the sets of a chain
// of n unions take O(n log n) memory. Equal sets have equal ids (Okasaki and Gill, "Fast Mergeable Integer Maps", 1998;
// hash-consed).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace axle {

class SharedSets {
 public:
  using Id = std::uint32_t;
  static constexpr Id empty = 0;

  SharedSets() : nodes_(1) {}

  Id single(std::uint32_t element) { return make({element, 0, empty, empty}); }
  Id unite(Id a, Id b);
  // Returns the element of a set that has exactly one.
  std::optional<std::uint32_t> only(Id set) const;
  // The number of trees: the memory of all sets together.
  std::size_t size() const { return nodes_.size(); }

 private:
  // A leaf holds an element and has bit 0. All elements of a branch begin with `prefix`; those in `high` have `bit`
  // set.
  struct Node {
    std::uint32_t prefix = 0, bit = 0;
    Id low = empty, high = empty;
    bool operator<(const Node& o) const {
      return std::tie(prefix, bit, low, high) < std::tie(o.prefix, o.bit, o.low, o.high);
    }
  };

  Id make(const Node& node);
  Id join(Id a, Id b);  // the sets have different prefixes
  static std::uint32_t above(std::uint32_t bit) { return ~(2 * bit - 1); }

  std::vector<Node> nodes_;
  std::map<Node, Id> made_;
  std::map<std::pair<Id, Id>, Id> united_;  // of two branches
};

}  // namespace axle
