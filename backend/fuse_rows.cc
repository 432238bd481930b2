// Fuses what is computed row by row of the last axis: pointwise operators, and reductions of rows whose results go back
// into their rows, as in softmax and normalisations.
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

// What calls are to rows of the last axis.
enum class RowOp : std::uint8_t { other, pointwise, reduction, reshape };

using RowPattern = patterns::Pattern<RowOp>;
const RowPattern row{RowPattern::Kind::hole, 0}, start{RowPattern::Kind::hole, 1};

struct RowShapes {
  const std::vector<Dim>& whole;    // of the rows
  const std::vector<Dim>& scalars;  // one element for each row
  const std::vector<Dim>& result;   // of the call
  const std::vector<Dim>* row;      // of what a reduction reads
};

bool keepsRows(const RowShapes& s) { return s.result == s.whole || s.result == s.scalars; }
bool reducesRows(const RowShapes& s) { return *s.row == s.whole && s.result == s.scalars; }

struct RowRule {
  RowPattern pattern;
  bool (*condition)(const RowShapes& shapes);
};

// Which calls join a call of rows, where nothing else needs their results: those that match a pattern, with the calls
// that have a name in it.
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
  }

  void run() {
    for (std::uint32_t i = static_cast<std::uint32_t>(calls_.size()); i-- > 0;)
      if (!isTaken_[i] && isFusablePointwise(graph_, nodeOf(i)) && !shapeOf(i).empty()) grow(i);
    std::erase_if(calls_, [](const Call& call) { return call.from.empty(); });
  }

  // ---- the calls as patterns see them (patterns/pattern.h)

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

  RowOp rowOp(const ir::Node& node) const {
    if (isFusablePointwise(graph_, node)) return RowOp::pointwise;
    if (isRowReduction(graph_, node)) return RowOp::reduction;
    return node.op == ir::Op::reshape ? RowOp::reshape : RowOp::other;
  }

  // The calls that join a call of rows of shape `whole` because of one that computes an operand; none if that does not.
  std::vector<std::uint32_t> joining(ir::OutletId operand, const std::vector<Dim>& whole) const {
    std::vector<Dim> scalars(whole);
    scalars.back() = model_.dims->constant(1);
    for (const RowRule& rule : rowRules()) {
      patterns::Bound<ir::OutletId> bound;
      if (!patterns::matches(*this, rule.pattern, operand, bound)) continue;
      const ir::OutletId read = bound.ofHole[row.index];
      if (!rule.condition({whole, scalars, graph_[operand].fact.shape, read ? &graph_[read].fact.shape : nullptr}))
        continue;
      std::vector<std::uint32_t> calls{uses_.maker[operand.index]};
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

  void grow(std::uint32_t root) {
    const std::vector<Dim> whole = shapeOf(root);
    std::vector<std::uint32_t> members{root};
    bool hasReduction = false;
    for (bool grew = true; grew && members.size() < runtime::maxLinks;) {
      grew = false;
      for (std::size_t i = members.size(); i-- > 0 && !grew;)
        for (ir::OutletId input : calls_[members[i]].inputs) {
          const std::vector<std::uint32_t> more = joining(input, whole);
          if (more.empty() || std::binary_search(members.begin(), members.end(), more[0])) continue;
          if (!endsIn(more[0], members)) continue;
          for (std::uint32_t call : more) {
            members.insert(std::lower_bound(members.begin(), members.end(), call), call);
            hasReduction = hasReduction || rowOp(nodeOf(call)) == RowOp::reduction;
          }
          grew = true;
          break;
        }
    }
    if (!hasReduction || model_.dims->asConstant(whole.back()) == 1 || members.size() >= runtime::maxLinks) return;
    dropLeading(members);
    Call joined = joinCalls(graph_, calls_, uses_.maker, members, noCall);
    if (!fitsCall(joined)) return;
    for (std::uint32_t member : members) isTaken_[member] = true;
    joined.isRows = true;
    for (std::uint32_t member : members) calls_[member] = Call{};
    calls_[root] = std::move(joined);
  }

  // Leaves out the pointwise operators that can be the epilogue of the call that computes their operands.
  void dropLeading(std::vector<std::uint32_t>& members) const {
    std::vector<std::uint32_t> kept, dropped;
    for (std::uint32_t member : members) {
      bool leads = isFusablePointwise(graph_, nodeOf(member)), follows = false;
      for (ir::OutletId input : calls_[member].inputs) {
        const std::uint32_t maker = uses_.maker[input.index];
        if (maker == noCall) continue;
        leads = leads && !std::binary_search(kept.begin(), kept.end(), maker);
        follows = follows || std::binary_search(dropped.begin(), dropped.end(), maker) ||
                  (!isTaken_[maker] && shapeOf(maker) == shapeOf(member) && endsIn(maker, members) &&
                   runtime::kernelTraits(static_cast<std::uint32_t>(nodeOf(maker).op)).epilogue);
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
