// Orders calls: of the ready calls, runs the one that leaves the least memory in use. Keeps the new order only if it
// lowers the peak.
#include <algorithm>
#include <limits>

#include "backend/call_uses.h"
#include "backend/program.h"

namespace axle {

namespace {

constexpr std::int64_t middlingSize = 32;
constexpr std::size_t mostCalls = 20000, mostReady = 64;  // larger graphs keep their order

// The memory in use while calls run one after another.
class Memory {
 public:
  Memory(const ir::Model& model, const ir::Graph& graph, const Calls& calls)
      : calls_(calls), memory_(memoryOf(graph, calls)), uses_(graph, calls) {
    bytes_.resize(graph.outlets.size());
    readsLeft_.resize(graph.outlets.size());
    isHeld_.resize(graph.outlets.size());
    isOurs_.resize(graph.outlets.size());
    for (std::uint32_t i = 0; i < graph.outlets.size(); ++i) {
      readsLeft_[memory_[i]] += uses_.readers[i].size() + (uses_.isOutput[i] ? 1 : 0);
      isOurs_[i] = uses_.maker[memory_[i]] != noCall;
      if (memory_[i] == i && isOurs_[i]) bytes_[i] = bytesOf(*model.dims, graph[ir::OutletId{i}].fact);
    }
  }

  // The change of memory in use during a call and after it.
  struct Change {
    double during = 0, after = 0;
  };

  Change changeOf(std::uint32_t index) const {
    const Call& call = calls_[index];
    Change change;
    for (ir::OutletId id : call.outputs) {
      const std::uint32_t at = memory_[id.index];
      if (isOurs_[id.index] && !isHeld_[at]) change.during += bytes_[at];
    }
    change.after = change.during;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      const std::uint32_t at = memory_[call.inputs[i].index];
      std::size_t before = 0, reads = 0;
      for (std::size_t k = 0; k < call.inputs.size(); ++k)
        if (memory_[call.inputs[k].index] == at) ++reads, before += k < i ? 1 : 0;
      if (isOurs_[at] && before == 0 && readsLeft_[at] == reads) change.after -= bytes_[at];
    }
    return change;
  }

  void run(std::uint32_t index) {
    const Change change = changeOf(index);
    peak_ = std::max(peak_, now_ + change.during);
    now_ += change.after;
    for (ir::OutletId id : calls_[index].outputs) isHeld_[memory_[id.index]] = true;
    for (ir::OutletId id : calls_[index].inputs) --readsLeft_[memory_[id.index]];
  }

  double peak() const { return peak_; }
  const CallUses& uses() const { return uses_; }

 private:
  static double bytesOf(DimStore& dims, const ir::Fact& fact) {
    const Dim middling = dims.constant(middlingSize);
    double bytes = static_cast<double>(info(fact.elem).bytes);
    for (Dim d : fact.shape) {
      const auto size = dims.asConstant(dims.substitute(d, [&](DimVar) { return std::optional(middling); }));
      bytes *= static_cast<double>(std::max<std::int64_t>(size.value_or(middlingSize), 0));
    }
    return bytes;
  }

  const Calls& calls_;
  const std::vector<std::uint32_t> memory_;
  const CallUses uses_;
  std::vector<double> bytes_;  // by outlet: of its own memory
  std::vector<std::size_t> readsLeft_;
  std::vector<bool> isHeld_, isOurs_;
  double now_ = 0, peak_ = 0;
};

// Returns for each call the calls that must run after it; `waits` gets the number of calls that each waits for.
std::vector<std::vector<std::uint32_t>> dependents(const ir::Graph& graph, const Calls& calls, const CallUses& uses,
                                                   std::vector<std::uint32_t>& waits) {
  std::vector<std::vector<std::uint32_t>> after(calls.size());
  waits.assign(calls.size(), 0);
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    std::vector<std::uint32_t> needed;
    for (ir::OutletId id : calls[i].inputs) needed.push_back(uses.maker[id.index]);
    for (ir::NodeId node : calls[i].from)
      for (ir::OutletId id : graph[node].after) needed.push_back(uses.maker[id.index]);
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    for (std::uint32_t before : needed)
      if (before != noCall && before != i) after[before].push_back(i), ++waits[i];
  }
  return after;
}

std::vector<std::uint32_t> greedyOrder(const ir::Model& model, const ir::Graph& graph, const Calls& calls) {
  Memory memory(model, graph, calls);
  std::vector<std::uint32_t> waits, order, ready;
  const auto after = dependents(graph, calls, memory.uses(), waits);
  for (std::uint32_t i = 0; i < calls.size(); ++i)
    if (waits[i] == 0) ready.push_back(i);
  while (!ready.empty()) {
    std::size_t best = 0;
    auto least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < std::min(ready.size(), mostReady); ++k)
      if (const double change = memory.changeOf(ready[k]).after; change < least) least = change, best = k;
    const std::uint32_t next = ready[best];
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(best));
    memory.run(next);
    order.push_back(next);
    for (std::uint32_t i : after[next])
      if (--waits[i] == 0) ready.insert(std::lower_bound(ready.begin(), ready.end(), i), i);
  }
  return order;
}

double peakOf(const ir::Model& model, const ir::Graph& graph, const Calls& calls) {
  Memory memory(model, graph, calls);
  for (std::uint32_t i = 0; i < calls.size(); ++i) memory.run(i);
  return memory.peak();
}

}  // namespace

void orderCalls(const ir::Model& model, Program& program) {
  for (std::size_t g = 0; g < model.graphs.size(); ++g) {
    Calls& calls = program.graphs[g];
    if (calls.size() < 3 || calls.size() > mostCalls) continue;
    Calls ordered;
    for (std::uint32_t i : greedyOrder(model, model.graphs[g], calls)) ordered.push_back(calls[i]);
    if (ordered.size() == calls.size() &&
        peakOf(model, model.graphs[g], ordered) < peakOf(model, model.graphs[g], calls))
      calls = std::move(ordered);
  }
}

}  // namespace axle
