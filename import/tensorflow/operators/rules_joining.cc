// Operators that put tensors together along an axis.
#include "import/tensorflow/operators/axes.h"

namespace axle::tensorflow {
namespace {

Outcome pack(RuleNode& n, std::string_view) {
  return n.give(n.op("stack", n.ins(), {{"axis", n.t.integer(n.integer("axis"))}}));
}

Outcome joined(RuleNode& n, std::size_t from, std::size_t to, std::optional<std::int64_t> axis) {
  if (!axis) {
    std::optional<std::size_t> rank;
    for (std::size_t i = from; i < to && !rank; ++i) rank = n.rank(i);
    if (rank) giveDims(n, unknownSizes(n, *rank));
    return Outcome::waits;
  }
  std::vector<TypedId> parts;
  for (std::size_t i = from; i < to; ++i) parts.push_back(n.in(i));
  if (parts.size() == 1) return n.give(std::move(parts));
  return n.give(n.op("concat", std::move(parts), {{"axis", n.t.integer(*axis)}}));
}
Outcome concat(RuleNode& n, std::string_view) { return joined(n, 1, n.count(), n.number(0)); }
Outcome concatV2(RuleNode& n, std::string_view) { return joined(n, 0, n.count() - 1, n.number(n.count() - 1)); }
Outcome parallelConcat(RuleNode& n, std::string_view) { return joined(n, 0, n.count(), 0); }

// Where each part begins in the whole: vectors as long as the shapes of the parts.
Outcome concatOffset(RuleNode& n, std::string_view) {
  for (std::size_t i = 1; i < n.count(); ++i) {
    auto dims = n.dims(i);
    if (!dims) return Outcome::waits;
    if (Outcome made = giveDims(n, *dims, i - 1); made != Outcome::done) return made;
  }
  return Outcome::done;
}

constexpr Rule rows[] = {
    {"Pack", pack},
    {"Concat", concat},
    {"ConcatV2", concatV2},
    {"ParallelConcat", parallelConcat},
    {"ConcatOffset", concatOffset},
};

}  // namespace

std::span<const Rule> joiningRules() { return rows; }

}  // namespace axle::tensorflow
