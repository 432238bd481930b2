// Decides which tensors use the memory of others. runtime/storage.h checks the same rules when a bundle is bound.
#include <algorithm>

#include "backend/call_uses.h"
#include "backend/program.h"
#include "runtime/last_uses.h"
#include "runtime/program.h"

namespace axle {

namespace {

// Whether a size mentions a size that is found in the run.
bool mentionsFound(const ir::Model& model, const std::vector<Dim>& sizes) {
  const auto isFound = [&](DimVar v) {
    return std::any_of(model.runSizes.begin(), model.runSizes.end(), [&](const ir::RunSize& r) { return r.size == v; });
  };
  return !model.runSizes.empty() && std::any_of(sizes.begin(), sizes.end(), [&](Dim d) {
    const auto variables = model.dims->variables(d);
    return std::any_of(variables.begin(), variables.end(), isFound);
  });
}

// Whether the shape of an input or of a result of a call does so.
bool hasFoundShape(const ir::Model& model, const ir::Graph& graph, const Call& call) {
  for (const auto* ids : {&call.inputs, &call.outputs})
    for (ir::OutletId id : *ids)
      if (mentionsFound(model, graph[id].fact.shape)) return true;
  return false;
}

// Whether a call can read this input even if its rows are not adjacent.
bool readsPitch(const ir::Graph& graph, const Call& call, ir::OutletId id) {
  const std::size_t own = call.inputs.size() - call.epilogueInputs;
  const auto traits =
      runtime::kernelTraits(call.node ? static_cast<std::uint32_t>(graph[call.node].op) : std::uint32_t{op::chain});
  for (std::size_t k = 0; k < own; ++k)
    if (call.inputs[k] == id && !runtime::readsPitched(traits, k)) return false;
  return true;
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
    return hasFoundShape(model_, graph_, call) ||
           mentionsFound(model_, ir::integersOf(*model_.dims, graph_[call.node].attributes));
  }

  // Whether all axes in front of an axis have size 1.
  bool isOuterOne(const std::vector<Dim>& sizes, std::size_t axis) const {
    for (std::size_t i = 0; i < axis; ++i)
      if (dims_.asConstant(sizes[i]) != 1) return false;
    return true;
  }

  bool readersTakePitch(ir::OutletId id, std::uint32_t except = noCall) const {
    const auto& readers = uses_.readers[id.index];
    return std::all_of(readers.begin(), readers.end(), [&](std::uint32_t reader) {
      return reader == except ||
             (calls_[reader].alias ? viewTakesPitch(calls_[reader]) : readsPitch(graph_, calls_[reader], id));
    });
  }

  // Whether a view may be of rows that are not adjacent.
  bool viewTakesPitch(const Call& view) const {
    const ir::OutletId y = view.outputs[0];
    return graph_[view.node].op == ir::Op::slice && !uses_.isOutput[y.index] && readersTakePitch(y);
  }

  // Marks a tensor and its views as pitched.
  void setPitched(ir::OutletId id) {
    isPitched_[id.index] = true;
    for (std::uint32_t reader : uses_.readers[id.index])
      if (calls_[reader].alias && graph_[calls_[reader].node].op == ir::Op::slice)
        setPitched(calls_[reader].outputs[0]);
  }

  // Whether a view may be made: an output of the graph must not be in memory that the program does not own.
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
      if (pitched) setPitched(part);
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
    return (traits & ops::writesPitched) != 0 && !uses_.isOutput[part.index] && readersTakePitch(part, join);
  }

  const ir::Model& model_;
  const DimStore& dims_;
  const ir::Graph& graph_;
  Calls& calls_;
  const CallUses uses_;
  std::vector<bool> isPitched_, isPart_, isExternal_;  // by outlet
};

// The columns of a wider tensor's rows of which a slice is a view.
struct Columns {
  std::uint32_t of = noCall;  // outlet
  std::int64_t begin = 0, end = 0;
};

class Placement {
 public:
  Placement(const ir::Model& model, const ir::Graph& graph, Calls& calls)
      : model_(model), graph_(graph), calls_(calls), uses_(graph, calls), memory_(memoryOf(graph, calls)) {
    lastUse_.resize(graph.outlets.size());
    ends_.resize(graph.outlets.size());
    columns_.resize(graph.outlets.size());
    for (std::uint32_t i = 0; i < lastUse_.size(); ++i) {
      const auto& readers = uses_.readers[i];
      const std::uint32_t maker = uses_.maker[i] == noCall ? 0 : uses_.maker[i];
      lastUse_[i] = uses_.isOutput[i] ? noCall : readers.empty() ? maker : readers.back();
      ends_[memory_[i]].add(i, lastUse_[i]);
      isShared_.push_back(memory_[i] != i);
    }
    for (const Call& call : calls) findColumns(call);
  }

  void run() {
    for (std::uint32_t i = 0; i < calls_.size(); ++i) {
      Call& call = calls_[i];
      if (call.alias || call.outputs.size() != 1) continue;
      const ir::OutletId y = call.outputs[0];
      if (isShared_[y.index] || hasFoundShape(model_, graph_, call)) continue;
      const ir::Op op = call.node ? graph_[call.node].op : ir::Op::none;
      const runtime::OpRow* row = runtime::operatorRow(static_cast<std::uint32_t>(op));
      const std::size_t first = row != nullptr && row->choose != nullptr ? 0 : call.inputs.size() - call.epilogueInputs;
      for (std::size_t k = first; k < call.inputs.size() && call.inPlace == 0; ++k)
        if (canTake(i, first, call.inputs[k])) {
          call.inPlace = static_cast<std::uint32_t>(k + 1);
          const std::uint32_t x = call.inputs[k].index;
          memory_[y.index] = rootOf(call.inputs[k]);  // and the memory of its views
          ends_[memory_[y.index]].add(ends_[y.index]);
          isShared_[y.index] = isShared_[x];
          columns_[y.index] = columns_[x];
        }
    }
  }

 private:
  std::uint32_t rootOf(ir::OutletId id) const {
    std::uint32_t root = id.index;
    while (memory_[root] != root) root = memory_[root];
    return root;
  }

  void findColumns(const Call& call) {
    if (!call.alias || graph_[call.node].op != ir::Op::slice) return;
    const auto& slice = std::get<ir::SliceAttributes>(graph_[call.node].attributes);
    const std::vector<Dim>& shape = graph_[call.outputs[0]].fact.shape;
    const auto begin = model_.dims->asConstant(slice.start), size = model_.dims->asConstant(shape.back());
    if (slice.axis + 1 != shape.size() || !begin || !size) return;
    columns_[call.outputs[0].index] = {call.inputs[0].index, *begin, *begin + *size};
  }

  // Whether the result of call `index` may use the memory of its operand x. `first`: the number of inputs of its base.
  bool canTake(std::uint32_t index, std::size_t first, ir::OutletId x) const {
    const Call& call = calls_[index];
    const ir::Fact &from = graph_[x].fact, &to = graph_[call.outputs[0]].fact;
    const std::uint32_t root = rootOf(x);
    if (uses_.maker[x.index] == noCall || uses_.maker[root] == noCall || lastUse_[x.index] != index) return false;
    if (from.shape != to.shape || info(from.elem).bytes != info(to.elem).bytes) return false;
    const auto base = call.inputs.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::find(call.inputs.begin(), base, x) != base) return false;
    if (isShared_[x.index]) return isApartFromRest(index, x) && takesPitch(call.outputs[0]);
    return ends_[root].except(x.index) < index;
  }

  // Whether all other tensors in x's memory that are still needed are operands of this call in other columns.
  bool isApartFromRest(std::uint32_t index, ir::OutletId x) const {
    const Columns& own = columns_[x.index];
    if (own.of == noCall || own.of != rootOf(x)) return false;
    std::vector<std::uint32_t> members;
    for (ir::OutletId id : calls_[index].inputs)
      if (rootOf(id) == own.of && std::find(members.begin(), members.end(), id.index) == members.end())
        members.push_back(id.index);
    for (std::uint32_t member : members) {
      const Columns& other = columns_[member];
      if (member == x.index) continue;
      if (other.of != own.of || (other.end > own.begin && own.end > other.begin)) return false;
    }
    return ends_[own.of].areAt(index, members.size());
  }

  bool takesPitch(ir::OutletId y) const {
    const auto& readers = uses_.readers[y.index];
    return !uses_.isOutput[y.index] && std::all_of(readers.begin(), readers.end(), [&](std::uint32_t reader) {
      return !calls_[reader].alias && readsPitch(graph_, calls_[reader], y);
    });
  }

  const ir::Model& model_;
  const ir::Graph& graph_;
  Calls& calls_;
  const CallUses uses_;
  std::vector<std::uint32_t> memory_, lastUse_;
  std::vector<runtime::LastUses> ends_;  // by outlet that has its own memory
  std::vector<bool> isShared_;           // by outlet: a view or a part, or in the memory of one
  std::vector<Columns> columns_;         // by outlet
};

}  // namespace

void makeViews(const ir::Model& model, Program& program) {
  for (std::size_t g = 0; g < model.graphs.size(); ++g) Views(model, model.graphs[g], program.graphs[g]).run();
}

void placeResultsInOperands(const ir::Model& model, Program& program) {
  for (std::size_t g = 0; g < model.graphs.size(); ++g) Placement(model, model.graphs[g], program.graphs[g]).run();
}

}  // namespace axle
