// Decides which convolutions run row by row: those whose results are too large for the caches of a core.
#include <optional>

#include "backend/call_uses.h"
#include "backend/program.h"
#include "ir/passes/attributes.h"
#include "runtime/by_rows.h"
#include "runtime/ops.h"

namespace axle {

namespace {

// Smaller results stay in the cache anyway. All filters of calls that run together are read for each row.
constexpr std::int64_t leastBytes = std::int64_t{1} << 20, mostFilterBytes = std::int64_t{1} << 18;

class Calling {
 public:
  Calling(const ir::Model& model, const ir::Graph& graph, Calls& calls)
      : model_(model), graph_(graph), calls_(calls), uses_(graph, calls) {}

  void run() {
    std::int64_t filters = 0;  // of the calls that run together
    std::uint32_t together = 1;
    for (std::uint32_t i = 0; i + 1 < calls_.size(); ++i) {
      if (!canFollow(i)) {
        filters = 0, together = 1;
        continue;
      }
      if (together == 1) filters = filterBytes(calls_[i]);
      filters += filterBytes(calls_[i + 1]);
      calls_[i].byRows = filters <= mostFilterBytes && together < runtime::mostByRows;
      together = calls_[i].byRows ? together + 1 : 1;
      if (calls_[i].byRows) calls_[i].inPlace = calls_[i + 1].inPlace = 0;
    }
  }

 private:
  static bool runsByRows(const Call& call) {
    return call.primitive == op::convPanels || call.primitive == op::convDepthwise;
  }

  // Whether call i + 1 is the only one that reads the result of call i, which is large.
  bool canFollow(std::uint32_t i) const {
    const Call &call = calls_[i], &next = calls_[i + 1];
    if (!runsByRows(call) || !runsByRows(next) || call.outputs.size() != 1) return false;
    const ir::OutletId result = call.outputs[0];
    if (next.inputs[0] != result || uses_.isOutput[result.index] || uses_.readers[result.index].size() != 1)
      return false;
    const auto bytes = bytesOf(result);
    return graph_[result].fact.shape.size() == 4 && bytes && *bytes >= leastBytes;
  }

  std::optional<std::int64_t> bytesOf(ir::OutletId id) const { return ir::knownBytes(*model_.dims, graph_[id].fact); }
  std::int64_t filterBytes(const Call& call) const { return bytesOf(call.inputs[1]).value_or(mostFilterBytes); }

  const ir::Model& model_;
  const ir::Graph& graph_;
  Calls& calls_;
  const CallUses uses_;
};

}  // namespace

void runByRows(const ir::Model& model, Program& program) {
  for (std::size_t g = 0; g < model.graphs.size(); ++g) Calling(model, model.graphs[g], program.graphs[g]).run();
}

}  // namespace axle
