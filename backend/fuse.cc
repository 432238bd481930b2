// Fuses pointwise operators: into chains, and into the epilogues of the calls that make their operands.
#include <algorithm>
#include <functional>

#include "backend/call_uses.h"
#include "backend/join_calls.h"
#include "backend/program.h"
#include "runtime/check.h"
#include "runtime/program.h"

namespace axle {

namespace {

class Fusion {
 public:
  Fusion(const ir::Graph& graph, Calls& calls) : graph_(graph), calls_(calls), uses_(graph, calls) {
    group_.assign(calls.size(), noCall);
    for (std::uint32_t i = 0; i < calls.size(); ++i)
      if (!calls[i].node) group_[i] = i;  // already fused
  }

  void run() {
    for (std::uint32_t i = static_cast<std::uint32_t>(calls_.size()); i-- > 0;)
      if (group_[i] == noCall && isFusable(i)) grow(i);
    Calls fused;
    for (Call& call : calls_)
      if (!call.from.empty()) fused.push_back(std::move(call));
    calls_ = std::move(fused);
  }

 private:
  const ir::Node& nodeOf(std::uint32_t call) const { return graph_[calls_[call].node]; }
  const std::vector<Dim>& shapeOf(std::uint32_t call) const { return graph_[calls_[call].outputs[0]].fact.shape; }

  bool isFusable(std::uint32_t call) const { return isFusablePointwise(graph_, nodeOf(call)); }

  // Whether a call's only result is read only by calls of the group.
  bool endsIn(std::uint32_t call, std::uint32_t group) const {
    return uses_.endsIn(calls_[call], [&](std::uint32_t reader) { return group_[reader] == group; });
  }

  bool canBeBase(std::uint32_t call) const {
    const ir::Node& node = nodeOf(call);
    return (runtime::kernelTraits(static_cast<std::uint32_t>(node.op)) & ops::epilogue) != 0 && node.runSizes.empty() &&
           graph_[calls_[call].outputs[0]].fact.elem == graph_[calls_[call].inputs[0]].fact.elem;
  }

  // Grows a group from its last call: takes all calls upstream that only the group needs, and one base call, whose
  // epilogue the group becomes. Operands of later calls come first. Calls that could be the epilogue of another call
  // are left to that call.
  void grow(std::uint32_t root) {
    std::vector<std::uint32_t> members{root};
    group_[root] = root;
    std::uint32_t base = noCall;
    std::vector<std::uint32_t> open{root};
    while (!open.empty()) {
      const std::uint32_t member = open.back();
      open.pop_back();
      for (std::uint32_t maker : candidatesOf(member, root)) {
        if (!isFusable(maker)) {
          if (base == noCall && canBeBase(maker) && fits(members, maker)) base = maker;
          continue;
        }
        if (base != noCall && basesAbove(maker, root, base) > 0) continue;
        group_[maker] = root;
        std::vector<std::uint32_t> more = members;
        more.insert(std::lower_bound(more.begin(), more.end(), maker), maker);
        if (!fits(more, base)) {
          group_[maker] = noCall;
          continue;
        }
        members = std::move(more);
        open.push_back(member);  // its other operands, after this one's
        open.push_back(maker);
        break;
      }
    }
    if (base == noCall && members.size() == 1) {
      group_[root] = noCall;
      return;
    }
    calls_[root] = joinCalls(graph_, calls_, uses_.maker, members, base);
    for (std::uint32_t member : members)
      if (member != root) calls_[member] = Call{};
    if (base != noCall) group_[base] = root, calls_[base] = Call{};
  }

  bool canJoin(std::uint32_t call, std::uint32_t root) const {
    return group_[call] == noCall && shapeOf(call) == shapeOf(root) && endsIn(call, root);
  }

  // Returns the calls that compute a call's operands, last one first.
  std::vector<std::uint32_t> makersOf(std::uint32_t call) const {
    std::vector<std::uint32_t> makers;
    for (ir::OutletId input : calls_[call].inputs)
      if (uses_.maker[input.index] != noCall) makers.push_back(uses_.maker[input.index]);
    std::sort(makers.begin(), makers.end(), std::greater<>());
    makers.erase(std::unique(makers.begin(), makers.end()), makers.end());
    return makers;
  }

  // Returns calls that could join the group and compute operands of a member. Calls that lead to a single possible base
  // come first, so that in a sum of many products each is added in the epilogue of one.
  std::vector<std::uint32_t> candidatesOf(std::uint32_t member, std::uint32_t root) {
    std::vector<std::pair<std::size_t, std::uint32_t>> ranked;
    for (std::uint32_t maker : makersOf(member))
      if (canJoin(maker, root)) {
        const std::size_t bases = isFusable(maker) ? basesAbove(maker, root, noCall) : canBeBase(maker) ? 1 : 0;
        ranked.push_back({bases == 0 ? runtime::maxLinks + 1 : bases, maker});
      }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::uint32_t> candidates;
    for (const auto& [bases, maker] : ranked) candidates.push_back(maker);
    return candidates;
  }

  // Returns the number of calls other than `base` that could have a pointwise call in their epilogue.
  std::size_t basesAbove(std::uint32_t call, std::uint32_t root, std::uint32_t base) {
    std::size_t bases = 0;
    std::vector<std::uint32_t> seen{call};
    group_[call] = root;
    for (std::size_t i = 0; i < seen.size(); ++i)
      for (std::uint32_t maker : makersOf(seen[i])) {
        if (maker == base || !canJoin(maker, root)) continue;
        if (!isFusable(maker)) {
          bases += canBeBase(maker) ? 1 : 0;
        } else if (seen.size() < runtime::maxLinks) {
          group_[maker] = root;
          seen.push_back(maker);
        }
      }
    for (std::uint32_t each : seen) group_[each] = noCall;
    return bases;
  }

  bool fits(const std::vector<std::uint32_t>& members, std::uint32_t base) const {
    return fitsCall(joinCalls(graph_, calls_, uses_.maker, members, base));
  }

  const ir::Graph& graph_;
  Calls& calls_;
  const CallUses uses_;
  std::vector<std::uint32_t> group_;  // of each call: the last member of its group
};

}  // namespace

void fusePointwise(const ir::Model& model, Program& program) {
  for (std::size_t g = 0; g < model.graphs.size(); ++g) Fusion(model.graphs[g], program.graphs[g]).run();
}

}  // namespace axle
