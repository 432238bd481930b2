#include "typecheck/infer/broadcast_sets.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "typecheck/solver/constraints.h"
#include "typecheck/solver/shared_sets.h"
#include "typecheck/solver/unify.h"

namespace axle {
namespace {

// The pending broadcasts, each with the set of operands that its result is made of, followed through other results.
class BroadcastSets {
 public:
  explicit BroadcastSets(Checked& c) : c_(c) {
    const std::vector<Pending<constraint::Broadcast>> pending = pendingOf<constraint::Broadcast>(c.solver);
    for (const Pending<constraint::Broadcast>& broadcast : pending) {
      Shape result = c.solution.resolve(broadcast->result);
      if (result.size() == 1 && result[0].isVar) numbers_.emplace(result[0].var.index, 0);
    }
    for (auto& [var, number] : numbers_) {
      number = static_cast<std::uint32_t>(results_.size());
      results_.emplace_back();
      results_.back().var = ShapeVar{var};
    }
    for (const Pending<constraint::Broadcast>& broadcast : pending) {
      Shape result = c.solution.resolve(broadcast->result);
      if (result.size() == 1 && result[0].isVar) read(broadcast, results_[numbers_.at(result[0].var.index)]);
    }
  }

  bool merge() {
    std::map<SharedSets::Id, ShapeVar> seen;
    bool moved = false;
    for (std::uint32_t i = 0; i < results_.size() && c_.solver.conflicts.empty(); ++i) {
      collect(i);
      const Result& result = results_[i];
      Shape other;
      if (auto only = sets_.only(result.set)) {
        other = operands_[*only];
        if (other == Shape{ShapePart::of(result.var)}) continue;
      } else {
        auto [it, isNew] = seen.try_emplace(result.set, result.var);
        if (isNew) continue;
        other = {ShapePart::of(it->second)};
      }
      unifyShape(c_.solver, {ShapePart::of(result.var)}, other, result.reason);
      moved = true;
    }
    if (moved) solve(c_.solver);
    return moved;
  }

 private:
  struct Result {
    ShapeVar var;
    ReasonId reason;
    SharedSets::Id set = SharedSets::empty;  // operands that are not results of broadcasts
    std::vector<std::uint32_t> of;           // operands that are results of broadcasts
    std::uint32_t order = 0, lowest = 0;     // Tarjan's algorithm: results in a cycle have one set; 0: not visited
    std::size_t next = 0;
    bool isOpen = false;
  };

  void read(const Pending<constraint::Broadcast>& broadcast, Result& into) {
    if (into.reason.index) return;
    into.reason = broadcast.reason;
    for (const Shape* side : {&broadcast->left, &broadcast->right}) {
      Shape flat = c_.solution.resolve(*side);
      auto result = flat.size() == 1 && flat[0].isVar ? numbers_.find(flat[0].var.index) : numbers_.end();
      if (result != numbers_.end()) {
        into.of.push_back(result->second);
      } else if (!flat.empty()) {
        std::vector<std::uint32_t> key;
        for (const ShapePart& p : flat) key.insert(key.end(), {p.isVar, p.isVar ? p.var.index : p.dim.index});
        auto [it, isNew] = operandNumbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(operands_.size()));
        if (isNew) operands_.push_back(std::move(flat));
        into.set = unite(into.set, sets_.single(it->second));
      }
    }
  }

  SharedSets::Id unite(SharedSets::Id a, SharedSets::Id b) {
    constexpr std::size_t keptTree = 4;  // the work counted for each set that is kept, because it takes memory
    std::size_t before = sets_.size();
    SharedSets::Id both = sets_.unite(a, b);
    c_.solution.work(1 + keptTree * (sets_.size() - before));
    return both;
  }

  // Computes the set of a result and of all results that it depends on.
  void collect(std::uint32_t root) {
    if (results_[root].order) return;
    std::vector<std::uint32_t> path{root};
    auto open = [&](std::uint32_t i) {
      results_[i].order = results_[i].lowest = ++seen_;
      results_[i].isOpen = true;
      together_.push_back(i);
    };
    open(root);
    while (!path.empty()) {
      Result& at = results_[path.back()];
      if (at.next < at.of.size()) {
        std::uint32_t next = at.of[at.next++];
        if (!results_[next].order) {
          open(next);
          path.push_back(next);
        } else if (results_[next].isOpen) {
          at.lowest = std::min(at.lowest, results_[next].order);
        }
        continue;
      }
      std::uint32_t done = path.back();
      path.pop_back();
      if (!path.empty()) results_[path.back()].lowest = std::min(results_[path.back()].lowest, results_[done].lowest);
      if (results_[done].lowest == results_[done].order) close(done);
    }
  }

  // Closes a cycle: `first` and the results opened since. They are equal, but may be larger than their operands: s = s
  // # r says only that r broadcasts to s.
  void close(std::uint32_t first) {
    std::size_t from = together_.size();
    SharedSets::Id all = SharedSets::empty;
    bool isCycle = false;
    do {
      const Result& result = results_[together_[--from]];
      all = unite(all, result.set);
      for (std::uint32_t of : result.of) {
        isCycle |= results_[of].isOpen;
        if (!results_[of].isOpen) all = unite(all, results_[of].set);
      }
    } while (together_[from] != first);
    if (isCycle) {
      all = unite(all, sets_.single(static_cast<std::uint32_t>(operands_.size())));
      operands_.push_back({ShapePart::of(results_[first].var)});
    }
    for (std::size_t i = from; i < together_.size(); ++i) {
      results_[together_[i]].set = all;
      results_[together_[i]].isOpen = false;
    }
    together_.resize(from);
  }

  Checked& c_;
  std::map<std::uint32_t, std::uint32_t> numbers_;  // numbers of results, by their variables
  std::vector<Result> results_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> operandNumbers_;
  std::vector<Shape> operands_;
  SharedSets sets_;
  std::uint32_t seen_ = 0;
  std::vector<std::uint32_t> together_;  // opened, not yet closed
};

}  // namespace

bool mergeEqualBroadcasts(Checked& checked) { return BroadcastSets(checked).merge(); }

}  // namespace axle
