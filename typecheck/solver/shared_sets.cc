#include "typecheck/solver/shared_sets.h"

#include <bit>
#include <utility>

namespace axle {

SharedSets::Id SharedSets::make(const Node& node) {
  auto [it, isNew] = made_.try_emplace(node, static_cast<Id>(nodes_.size()));
  if (isNew) nodes_.push_back(node);
  return it->second;
}

SharedSets::Id SharedSets::join(Id a, Id b) {
  std::uint32_t first = nodes_[a].prefix, bit = std::bit_floor(first ^ nodes_[b].prefix);
  if (first & bit) std::swap(a, b);
  return make({first & above(bit), bit, a, b});
}

SharedSets::Id SharedSets::unite(Id a, Id b) {
  if (a == b || b == empty) return a;
  if (a == empty) return b;
  if (nodes_[a].bit < nodes_[b].bit || (nodes_[a].bit == nodes_[b].bit && a > b)) std::swap(a, b);
  const Node large = nodes_[a], small = nodes_[b];
  bool isWithin = large.bit != 0 && (small.prefix & above(large.bit)) == large.prefix;
  if (!isWithin) return join(a, b);
  if (small.bit != 0)
    if (auto known = united_.find({a, b}); known != united_.end()) return known->second;
  Node both = large;
  if (small.bit == large.bit) {
    both.low = unite(large.low, small.low);
    both.high = unite(large.high, small.high);
  } else {
    Id& side = small.prefix & large.bit ? both.high : both.low;
    side = unite(side, b);
  }
  Id out = make(both);
  if (small.bit != 0) united_.emplace(std::pair(a, b), out);
  return out;
}

std::optional<std::uint32_t> SharedSets::only(Id set) const {
  if (set == empty || nodes_[set].bit != 0) return std::nullopt;
  return nodes_[set].prefix;
}

}  // namespace axle
