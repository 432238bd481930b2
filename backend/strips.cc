// Runs products whose rows are reduced before the next product, as in attention, together in strips of rows
// (runtime/strips.h): finds them, places their calls one after another and marks them.
#include <algorithm>

#include "backend/call_uses.h"
#include "backend/program.h"
#include "runtime/ops.h"

namespace axle {

namespace {

class StripCalls {
 public:
  StripCalls(const ir::Graph& graph, const Calls& calls) : graph_(graph), calls_(calls), uses_(graph, calls) {}

  // Returns the calls that only compute the left factor of a product, from an earlier product on, including views of
  // their results, in order; empty if there are none.
  std::vector<std::uint32_t> before(std::uint32_t product) const {
    std::vector<std::uint32_t> found;
    if (!isProduct(calls_[product]) || !follow(calls_[product].inputs[0], found)) return {};
    std::reverse(found.begin(), found.end());
    return found;
  }

 private:
  static constexpr std::size_t most = 16;

  bool isProduct(const Call& call) const {
    return call.node && !call.alias && graph_[call.node].op == ir::Op::matmul &&
           graph_[call.inputs[0]].fact.elem == Elem::f32;
  }

  // Appends the makers of a value, last one first, up to a product. Returns false, and appends none, if there is no
  // such product.
  bool follow(ir::OutletId value, std::vector<std::uint32_t>& found) const {
    const std::uint32_t maker = uses_.maker[value.index];
    if (maker == noCall || uses_.isOutput[value.index] || uses_.readers[value.index].size() != 1 ||
        found.size() == most)
      return false;
    const Call& call = calls_[maker];
    found.push_back(maker);
    if (isProduct(call)) return true;
    const bool isView = call.alias && call.node && graph_[call.node].op == ir::Op::reshape;
    if (isView || call.isRows)
      for (ir::OutletId input : call.inputs)
        if (columnsOf(input) == columnsOf(value) && follow(input, found)) return true;
    found.pop_back();
    return false;
  }

  std::optional<Dim> columnsOf(ir::OutletId value) const {
    const std::vector<Dim>& shape = graph_[value].fact.shape;
    return shape.empty() ? std::nullopt : std::optional(shape.back());
  }

  const ir::Graph& graph_;
  const Calls& calls_;
  const CallUses uses_;
};

}  // namespace

void gatherStrips(const ir::Model& model, Program& program) {
  for (std::size_t g = 0; g < model.graphs.size(); ++g) {
    Calls& calls = program.graphs[g];
    const StripCalls strips(model.graphs[g], calls);
    std::vector<std::vector<std::uint32_t>> before(calls.size());
    std::vector<bool> waits(calls.size());
    for (std::uint32_t i = 0; i < calls.size(); ++i) {
      before[i] = strips.before(i);
      for (std::uint32_t call : before[i]) waits[call] = true;
    }
    Calls ordered;
    for (std::uint32_t i = 0; i < calls.size(); ++i) {
      if (waits[i]) continue;
      // A product may itself wait for others.
      std::vector<std::uint32_t> backwards{i};
      while (!before[backwards.back()].empty()) {
        const std::vector<std::uint32_t>& more = before[backwards.back()];
        backwards.insert(backwards.end(), more.rbegin(), more.rend());
      }
      std::for_each(backwards.rbegin(), backwards.rend(),
                    [&](auto call) { ordered.push_back(std::move(calls[call])); });
    }
    calls = std::move(ordered);
  }
}

void runInStrips(const ir::Model& model, Program& program) {
  for (std::size_t g = 0; g < model.graphs.size(); ++g) {
    Calls& calls = program.graphs[g];
    const StripCalls strips(model.graphs[g], calls);
    for (std::uint32_t i = 0; i < calls.size(); ++i) {
      const std::vector<std::uint32_t> before = strips.before(i);
      if (before.empty() || calls[i].primitive != op::matmulVector || calls[before[0]].primitive != op::matmulVector)
        continue;
      for (std::uint32_t call : before) calls[call].byRows = !calls[call].alias, calls[call].inPlace = 0;
      calls[i].inPlace = 0;
    }
  }
}

}  // namespace axle
