// Decides which tensors lie in the memory of others. runtime/storage.h checks the same rules when a bundle is bound.
#include <algorithm>

#include "backend/call_uses.h"
#include "backend/program.h"
#include "runtime/program.h"

namespace axle {

namespace {

// Whether a size mentions one that the run finds.
bool mentionsFound(const ir::Model& model, const std::vector<Dim>& sizes) {
  const auto isFound = [&](DimVar v) {
    return std::any_of(model.runSizes.begin(), model.runSizes.end(), [&](const ir::RunSize& r) { return r.size == v; });
  };
  return !model.runSizes.empty() && std::any_of(sizes.begin(), sizes.end(), [&](Dim d) {
    const auto variables = model.dims->variables(d);
    return std::any_of(variables.begin(), variables.end(), isFound);
  });
}

class Views {
 public:
  Views(const ir::Model& model, const ir::Graph& graph, Calls& calls)
      : model_(model), dims_(*model.dims), graph_(graph), calls_(calls), uses_(graph, calls) {
    isPitched_.resize(graph.outlets.size());
    isPart_.resize(graph.outlets.size());
    isExternal_.resize(graph.outlets.size());
    for (std::uint32_t i = 0; i < graph.outlets.size(); ++i) isExternal_[i] = uses_.maker[i] == noCall;
  }

  void run() {
    for (Call& call : calls_) {
      if (!call.node || isLate(call)) continue;
      switch (graph_[call.node].op) {
        case ir::Op::reshape:
          call.alias = canReshape(call);
          break;
        case ir::Op::slice:
          call.alias = canSlice(call);
          break;
        case ir::Op::concat:
          call.alias = canJoin(call);
          break;
        default:
          break;
      }
      if (call.alias && graph_[call.node].op != ir::Op::concat)
        isExternal_[call.outputs[0].index] = isExternal_[call.inputs[0].index];
    }
  }

 private:
  const std::vector<Dim>& shape(ir::OutletId id) const { return graph_[id].fact.shape; }

  bool isLate(const Call& call) const {
    for (const auto* ids : {&call.inputs, &call.outputs})
      for (ir::OutletId id : *ids)
        if (mentionsFound(model_, shape(id))) return true;
    return mentionsFound(model_, ir::integersOf(*model_.dims, graph_[call.node].attributes));
  }

  // Whether there is at most one element, or row, in front of an axis.
  bool isOuterOne(const std::vector<Dim>& sizes, std::size_t axis) const {
    for (std::size_t i = 0; i < axis; ++i)
      if (dims_.asConstant(sizes[i]) != 1) return false;
    return true;
  }

  bool takesPitch(std::uint32_t index, ir::OutletId id) const {
    const Call& call = calls_[index];
    const std::size_t own = call.inputs.size() - call.epilogueInputs;
    const auto traits = call.node ? runtime::kernelTraits(static_cast<std::uint32_t>(graph_[call.node].op))
                                  : runtime::kernelTraits(op::chain);
    for (std::size_t k = 0; k < own; ++k)
      if (call.inputs[k] == id && (k >= 32 || (traits.pitchedInputs >> k & 1u) == 0)) return false;
    return true;
  }

  bool readersTakePitch(ir::OutletId id, std::uint32_t except = noCall) const {
    const auto& readers = uses_.readers[id.index];
    return std::all_of(readers.begin(), readers.end(),
                       [&](std::uint32_t reader) { return reader == except || takesPitch(reader, id); });
  }

  // An output of the graph must not be in memory that is not the program's.
  bool isFreeToView(const Call& call) const {
    return !(uses_.isOutput[call.outputs[0].index] && isExternal_[call.inputs[0].index]);
  }

  bool canReshape(const Call& call) const { return !isPitched_[call.inputs[0].index] && isFreeToView(call); }

  bool canSlice(const Call& call) {
    const ir::OutletId x = call.inputs[0], y = call.outputs[0];
    const auto& slice = std::get<ir::SliceAttributes>(graph_[call.node].attributes);
    if (dims_.asConstant(slice.step) != 1 || !isFreeToView(call)) return false;
    const std::size_t last = shape(x).size() - 1, at = slice.axis;
    const bool isRowPart = at == last && !isOuterOne(shape(x), last);
    if (!isRowPart && !isOuterOne(shape(x), at)) return false;
    const bool pitched = isRowPart || isPitched_[x.index];
    if (pitched && (uses_.isOutput[y.index] || !readersTakePitch(y))) return false;
    isPitched_[y.index] = pitched;
    return true;
  }

  bool canJoin(const Call& call) {
    const ir::OutletId whole = call.outputs[0];
    const std::size_t last = shape(whole).size() - 1;
    const std::size_t at = std::get<ir::AxisAttributes>(graph_[call.node].attributes).axis;
    const bool pitched = at == last && !isOuterOne(shape(whole), last);
    if (!pitched && !isOuterOne(shape(whole), at)) return false;
    const auto index = static_cast<std::uint32_t>(&call - calls_.data());
    for (ir::OutletId part : call.inputs)
      if (!canBePart(part, index, pitched)) return false;
    for (ir::OutletId part : call.inputs) {
      isPart_[part.index] = true;
      isPitched_[part.index] = pitched;
    }
    return true;
  }

  bool canBePart(ir::OutletId part, std::uint32_t join, bool pitched) const {
    const std::uint32_t maker = uses_.maker[part.index];
    if (maker == noCall || isPart_[part.index] || isPitched_[part.index] || calls_[maker].alias) return false;
    const auto& readers = uses_.readers[part.index];
    if (std::count(readers.begin(), readers.end(), join) != 1) return false;
    if (!pitched) return true;
    const Call& call = calls_[maker];
    const auto traits = call.node ? runtime::kernelTraits(static_cast<std::uint32_t>(graph_[call.node].op))
                                  : runtime::kernelTraits(op::chain);
    return traits.pitchedOutput && !uses_.isOutput[part.index] && readersTakePitch(part, join);
  }

  const ir::Model& model_;
  const DimStore& dims_;
  const ir::Graph& graph_;
  Calls& calls_;
  const CallUses uses_;
  std::vector<bool> isPitched_, isPart_, isExternal_;  // by outlet
};

// When a block of memory is read for the last time: through any of its tensors, and through any but that one.
struct LastUses {
  std::uint32_t outlet = noCall, last = 0, ofOthers = 0;

  void add(std::uint32_t member, std::uint32_t use) {
    if (outlet == noCall || use > last) {
      ofOthers = outlet == noCall ? 0 : last;
      outlet = member, last = use;
    } else {
      ofOthers = std::max(ofOthers, use);
    }
  }
  // All of another block.
  void add(const LastUses& other) {
    if (other.outlet == noCall) return;
    add(other.outlet, other.last);
    ofOthers = std::max(ofOthers, other.ofOthers);
  }
  std::uint32_t except(std::uint32_t member) const { return member == outlet ? ofOthers : last; }
};

void placeResults(const ir::Model& model, const ir::Graph& graph, Calls& calls) {
  const CallUses uses(graph, calls);
  std::vector<std::uint32_t> memory = memoryOf(graph, calls), lastUse(graph.outlets.size());
  for (std::uint32_t i = 0; i < lastUse.size(); ++i)
    lastUse[i] = uses.isOutput[i]          ? noCall
                 : uses.readers[i].empty() ? (uses.maker[i] == noCall ? 0 : uses.maker[i])
                                           : uses.readers[i].back();
  std::vector<LastUses> ends(graph.outlets.size());
  for (std::uint32_t i = 0; i < memory.size(); ++i) ends[memory[i]].add(i, lastUse[i]);
  std::vector<bool> isShared(graph.outlets.size());  // lies in another's memory, or another in its
  for (std::uint32_t i = 0; i < memory.size(); ++i)
    if (memory[i] != i) isShared[i] = true;
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    Call& call = calls[i];
    if (call.alias || call.outputs.size() != 1) continue;
    const ir::OutletId y = call.outputs[0];
    if (isShared[y.index] || mentionsFound(model, graph[y].fact.shape)) continue;
    const runtime::OpRow* row =
        call.node ? runtime::operatorRow(static_cast<std::uint32_t>(graph[call.node].op)) : nullptr;
    const std::size_t first = row != nullptr && row->choose != nullptr ? 0 : call.inputs.size() - call.epilogueInputs;
    for (std::size_t k = first; k < call.inputs.size() && call.inPlace == 0; ++k) {
      const ir::OutletId x = call.inputs[k];
      const ir::Fact &from = graph[x].fact, &to = graph[y].fact;
      std::uint32_t root = memory[x.index];
      while (memory[root] != root) root = memory[root];
      if (uses.maker[x.index] == noCall || uses.maker[root] == noCall || isShared[x.index] || from.shape != to.shape ||
          info(from.elem).bytes != info(to.elem).bytes || lastUse[x.index] != i || ends[root].except(x.index) >= i ||
          std::find(call.inputs.begin(), call.inputs.begin() + static_cast<std::ptrdiff_t>(first), x) !=
              call.inputs.begin() + static_cast<std::ptrdiff_t>(first))
        continue;
      call.inPlace = static_cast<std::uint32_t>(k + 1);
      memory[y.index] = root;  // and that of the views of it
      ends[root].add(ends[y.index]);
    }
  }
}

}  // namespace

void makeViews(const ir::Model& model, Program& program) {
  for (std::size_t g = 0; g < model.graphs.size(); ++g) Views(model, model.graphs[g], program.graphs[g]).run();
}

void placeResultsInOperands(const ir::Model& model, Program& program) {
  for (std::size_t g = 0; g < model.graphs.size(); ++g) placeResults(model, model.graphs[g], program.graphs[g]);
}

}  // namespace axle
