// Fuses operators computed row by row of the last axis: pointwise operators, reductions of rows whose results go back
// into their rows, as in softmax and normalisations, and rows shifted against each other, as in sums over neighbouring
// channels.
#include <algorithm>
#include <span>

#include "backend/call_uses.h"
#include "backend/join_calls.h"
#include "backend/program.h"
#include "patterns/pattern.h"
#include "runtime/check.h"
#include "runtime/program.h"

namespace axle {

namespace {

// The kinds of calls over rows of the last axis.
enum class RowOp : std::uint8_t { other, pointwise, reduction, reshape };

using RowPattern = patterns::Pattern<RowOp>;
const RowPattern row{RowPattern::Kind::hole, 0}, start{RowPattern::Kind::hole, 1};

struct RowShapes {
  const std::vector<Dim>& whole;    // of the rows
  const std::vector<Dim>& scalars;  // one element for each row
  const std::vector<Dim>& result;   // of the call
  const std::vector<Dim>* row;      // of the operand of a reduction; null for others
};

bool keepsRows(const RowShapes& s) { return s.result == s.whole || s.result == s.scalars; }
bool reducesRows(const RowShapes& s) { return *s.row == s.whole && s.result == s.scalars; }

struct RowRule {
  RowPattern pattern;
  bool (*condition)(const RowShapes& shapes);
};

// The rules by which calls join a call of rows if nothing else needs their results: calls that match a pattern, and the
// calls that have a name in it.
std::span<const RowRule> rowRules() {
  using patterns::on, patterns::onAny, patterns::once;
  // clang-format off
  static const RowRule rules[] = {
      // pattern                                                              condition
      {onAny(RowOp::pointwise),                                               keepsRows},
      {on(RowOp::reduction, row, start),                                      reducesRows},
      {on(RowOp::reshape, once(on(RowOp::reduction, row, start).as(0))),      reducesRows},
  };
  // clang-format on
  return rules;
}

class RowFusion {
 public:
  RowFusion(const ir::Model& model, const ir::Graph& graph, Calls& calls)
      : model_(model), graph_(graph), calls_(calls), uses_(graph, calls) {
    isTaken_.resize(calls.size());
    for (Call& call : calls_) call.shift = shiftOf(call);
  }

  void run() {
    for (std::uint32_t i = static_cast<std::uint32_t>(calls_.size()); i-- > 0;)
      if (!isTaken_[i] && isFusablePointwise(graph_, nodeOf(i)) && !shapeOf(i).empty()) grow(i);
    std::erase_if(calls_, [](const Call& call) { return call.from.empty(); });
  }

  // ---- the interface that patterns use (patterns/pattern.h)

  bool bind(const RowPattern& hole, ir::OutletId outlet, patterns::Bound<ir::OutletId>& bound) const {
    return bound.bind(hole, outlet);
  }
  const std::vector<ir::OutletId>* enter(const RowPattern& term, ir::OutletId outlet,
                                         patterns::Bound<ir::OutletId>& bound) const {
    const std::uint32_t maker = uses_.maker[outlet.index];
    if (maker == noCall || isTaken_[maker] || rowOp(nodeOf(maker)) != term.op) return nullptr;
    if (term.isOnce && (uses_.readers[outlet.index].size() != 1 || uses_.isOutput[outlet.index])) return nullptr;
    if (term.isNamed) bound.ofName[term.index] = outlet;
    return &calls_[maker].inputs;
  }
  bool commutes(const RowPattern&) const { return false; }

 private:
  const ir::Node& nodeOf(std::uint32_t call) const { return graph_[calls_[call].node]; }
  const std::vector<Dim>& shapeOf(std::uint32_t call) const { return graph_[calls_[call].outputs[0]].fact.shape; }

  // Whether a node only puts zeros before and after the rows of its input.
  bool padsRows(const ir::Node& node) const {
    if (node.op != ir::Op::pad || node.inputs.size() != 1) return false;
    const auto& pads = std::get<ir::PadAttributes>(node.attributes);
    for (const ir::Dims* sizes : {&pads.before, &pads.after})
      for (std::size_t axis = 0; axis + 1 < sizes->size(); ++axis)
        if (model_.dims->asConstant((*sizes)[axis]) != 0) return false;
    return !pads.before.empty();
  }

  // Returns the shift of a slice of padded rows whose result has the shape of the rows before padding.
  std::optional<std::int64_t> shiftOf(const Call& call) const {
    const ir::Node& node = graph_[call.node];
    if (node.op != ir::Op::slice) return std::nullopt;
    const ir::Node& padding = graph_.producer(node.inputs[0]);
    const auto& slice = std::get<ir::SliceAttributes>(node.attributes);
    const std::vector<Dim>& shape = graph_[node.outputs[0]].fact.shape;
    if (!padsRows(padding) || slice.axis + 1 != shape.size() || graph_[padding.inputs[0]].fact.shape != shape ||
        model_.dims->asConstant(slice.step) != 1)
      return std::nullopt;
    const auto start = model_.dims->asConstant(slice.start);
    const auto before = model_.dims->asConstant(std::get<ir::PadAttributes>(padding.attributes).before.back());
    return start && before ? std::optional(*start - *before) : std::nullopt;
  }

  // Whether a padding's result is only read by shifts.
  bool isOnlyShifted(ir::OutletId id) const {
    const auto& readers = uses_.readers[id.index];
    return !uses_.isOutput[id.index] && std::all_of(readers.begin(), readers.end(), [&](std::uint32_t reader) {
      return calls_[reader].shift.has_value();
    });
  }

  // Whether a call shifts rows of shape `whole`, or pads them only for that.
  bool isShift(std::uint32_t call, const std::vector<Dim>& whole) const {
    const ir::Node& node = nodeOf(call);
    if (calls_[call].shift) return shapeOf(call) == whole && isOnlyShifted(node.inputs[0]);
    return padsRows(node) && graph_[node.inputs[0]].fact.shape == whole && isOnlyShifted(node.outputs[0]);
  }

  RowOp rowOp(const ir::Node& node) const {
    if (isFusablePointwise(graph_, node)) return RowOp::pointwise;
    if (isRowReduction(graph_, node)) return RowOp::reduction;
    return node.op == ir::Op::reshape ? RowOp::reshape : RowOp::other;
  }

  // Returns the calls that join a call of rows of shape `whole` because the call that computes an operand joins; empty
  // if it does not.
  std::vector<std::uint32_t> joining(ir::OutletId operand, const std::vector<Dim>& whole) const {
    std::vector<Dim> scalars(whole);
    scalars.back() = model_.dims->constant(1);
    const std::uint32_t maker = uses_.maker[operand.index];
    if (maker == noCall || isTaken_[maker]) return {};
    if (isShift(maker, whole)) return {maker};
    for (const RowRule& rule : rowRules()) {
      patterns::Bound<ir::OutletId> bound;
      if (!patterns::matches(*this, rule.pattern, operand, bound)) continue;
      const ir::OutletId read = bound.ofHole[row.index];
      if (!rule.condition({whole, scalars, graph_[operand].fact.shape, read ? &graph_[read].fact.shape : nullptr}))
        continue;
      std::vector<std::uint32_t> calls{maker};
      for (ir::OutletId named : bound.ofName)
        if (named) calls.push_back(uses_.maker[named.index]);
      return calls;
    }
    return {};
  }

  bool endsIn(std::uint32_t call, const std::vector<std::uint32_t>& members) const {
    return uses_.endsIn(
        calls_[call], [&](std::uint32_t reader) { return std::binary_search(members.begin(), members.end(), reader); });
  }

  // Returns the calls that only the root needs and that can be computed with it row by row.
  std::vector<std::uint32_t> membersOf(std::uint32_t root, bool takesShifts) const {
    const std::vector<Dim> whole = shapeOf(root);
    std::vector<std::uint32_t> members{root};
    for (bool grew = true; grew && members.size() < runtime::maxLinks;) {
      grew = false;
      for (std::size_t i = members.size(); i-- > 0 && !grew;)
        for (ir::OutletId input : calls_[members[i]].inputs) {
          const std::vector<std::uint32_t> more = joining(input, whole);
          if (more.empty() || std::binary_search(members.begin(), members.end(), more[0])) continue;
          if (!endsIn(more[0], members) || (calls_[more[0]].shift && !takesShifts)) continue;
          for (std::uint32_t call : more) members.insert(std::lower_bound(members.begin(), members.end(), call), call);
          grew = true;
          break;
        }
    }
    return members;
  }

  // Whether the paddings of all shifts are members too.
  bool isWhole(const std::vector<std::uint32_t>& members) const {
    return std::all_of(members.begin(), members.end(), [&](std::uint32_t member) {
      return !calls_[member].shift ||
             std::binary_search(members.begin(), members.end(), uses_.maker[nodeOf(member).inputs[0].index]);
    });
  }

  void grow(std::uint32_t root) {
    std::vector<std::uint32_t> members = membersOf(root, true);
    if (!isWhole(members)) members = membersOf(root, false);
    const bool needsRows = std::any_of(members.begin(), members.end(), [&](std::uint32_t member) {
      return calls_[member].shift || isRowReduction(graph_, nodeOf(member));
    });
    if (!needsRows || model_.dims->asConstant(shapeOf(root).back()) == 1 || members.size() >= runtime::maxLinks) return;
    dropLeading(members);
    Call joined = joinCalls(graph_, calls_, uses_.maker, members, noCall);
    if (!fitsCall(joined)) return;
    for (std::uint32_t member : members) isTaken_[member] = true;
    joined.isRows = true;
    for (std::uint32_t member : members) calls_[member] = Call{};
    calls_[root] = std::move(joined);
  }

  bool hasOneElement(ir::OutletId id) const {
    const std::vector<Dim>& shape = graph_[id].fact.shape;
    return std::all_of(shape.begin(), shape.end(), [&](Dim d) { return model_.dims->asConstant(d) == 1; });
  }

  // Whether whole rows take less time than the epilogue of a kernel, which applies this to each of its blocks from
  // memory.
  bool isFasterOnRows(const ir::Node& node) const {
    constexpr ir::Op ops[] = {ir::Op::add, ir::Op::sub, ir::Op::mul, ir::Op::div};
    return std::ranges::find(ops, node.op) != std::end(ops) &&
           std::ranges::any_of(node.inputs, [&](ir::OutletId id) { return hasOneElement(id); });
  }

  // Leaves out the pointwise operators that can be the epilogue of the call that computes their operands.
  void dropLeading(std::vector<std::uint32_t>& members) const {
    std::vector<std::uint32_t> kept, dropped;
    for (std::uint32_t member : members) {
      bool leads = isFusablePointwise(graph_, nodeOf(member)) && !isFasterOnRows(nodeOf(member)), follows = false;
      for (ir::OutletId input : calls_[member].inputs) {
        const std::uint32_t maker = uses_.maker[input.index];
        if (maker == noCall) continue;
        leads = leads && !std::binary_search(kept.begin(), kept.end(), maker);
        follows = follows || (std::binary_search(dropped.begin(), dropped.end(), maker) && endsIn(maker, {member})) ||
                  (!isTaken_[maker] && shapeOf(maker) == shapeOf(member) && endsIn(maker, {member}) &&
                   (runtime::kernelTraits(static_cast<std::uint32_t>(nodeOf(maker).op)) & ops::epilogue) != 0);
      }
      (leads && follows ? dropped : kept).push_back(member);
    }
    members = std::move(kept);
  }

  const ir::Model& model_;
  const ir::Graph& graph_;
  Calls& calls_;
  const CallUses uses_;
  std::vector<bool> isTaken_;
};

}  // namespace

void fuseRows(const ir::Model& model, Program& program) {
  for (std::size_t g = 0; g < model.graphs.size(); ++g) RowFusion(model, model.graphs[g], program.graphs[g]).run();
}

}  // namespace axle
