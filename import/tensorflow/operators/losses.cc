// Losses, and decoders of sequences for models that are trained with them.
#include <numeric>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::losses {
namespace {

// Rows broadcast against rows.
Outcome crossEntropyType(RuleNode& n, std::string_view) {
  GraphTyper& t = n.t;
  auto both = n.op("+", n.ins());
  if (!both) return Outcome::failed;
  Dim rows = t.unknownSize("b"), classes = t.unknownSize("c");
  TypeId wanted = t.tensor(t.unknownElem(), t.shape({rows, classes}), n.places.op);
  if (!n.equate(wanted, t.typeOf(*both))) return Outcome::failed;
  n.giveShape(t.shape({rows}));
  return n.giveShape(t.shape({rows, classes}), 1);
}

// Gives `top_paths` decodings, each as a sparse tensor: all indices first, then all values, then all shapes.
Outcome beamSearchType(RuleNode& n, std::string_view) {
  GraphTyper& t = n.t;
  Dim batch = t.unknownSize("b");
  if (!requireDims(n, 0, {t.unknownSize("n"), batch, t.unknownSize("c")})) return Outcome::failed;
  std::int64_t paths = n.integer("top_paths");
  std::vector<Dim> counts;
  for (std::int64_t i = 0; i < paths; ++i) counts.push_back(t.unknownSize("k"));
  std::size_t port = 0;
  for (Dim k : counts) n.giveShape(t.shape({k, t.constant(2)}), port++);
  for (Dim k : counts) n.giveShape(t.shape({k}), port++);
  for (std::size_t i = 0; i < counts.size(); ++i) n.giveShape(t.shape({t.constant(2)}), port++);
  return n.giveShape(t.shape({batch, t.constant(paths)}), port);
}

// ---- formulas

FormulaResults l2LossFormula(NodeFormula& f) {
  auto rank = f.n.rank(0);
  if (!rank) return {};
  Sizes axes(*rank);
  std::iota(axes.begin(), axes.end(), 0);
  return {f.reduce("sum", f.in(0) * f.in(0), axes) * 0.5};
}

// A class whose label is 0 adds nothing, even if its logarithm is infinite.
FormulaResults crossEntropyFormula(NodeFormula& f) {
  auto backward = f.outletDims(1);
  if (!backward) return {};
  Expr logits = f.stretched(f.in(0), *backward), labels = f.stretched(f.in(1), *backward);
  Expr logs = f.op("log_softmax", {logits});
  Expr loss = f.reduce("sum", choose(labels == 0.0, 0, -labels * logs), {1});
  return {loss, f.op("softmax", {logits}) - labels};
}

FormulaResults sparseCrossEntropyFormula(NodeFormula& f) {
  Expr labels = f.cast(f.in(1), Elem::i64), logits = f.in(0), logs = f.op("log_softmax", {logits});
  Expr chosen = f.op("take_along", {logs, f.expand(labels, -1)}, {{"axis", f.n.t.integer(1)}});
  auto sizes = f.dims(std::size_t{0});
  if (!sizes || sizes->size() != 2) return {};
  Expr truth = f.expand(labels, -1) == f.expand(f.countTo((*sizes)[1]), 0);
  return {-f.squeeze(chosen, 1), f.op("softmax", {logits}) - f.cast(truth, f.elem(logits))};
}

// Takes the best class of each step of [steps, batch, classes], and drops blanks and, with merge_repeated, repetitions.
// Returns a sparse tensor of the rows, and the negated sum of the best scores.
FormulaResults ctcGreedyDecoderFormula(NodeFormula& f) {
  auto dims = f.dims(std::size_t{0});
  if (!dims || dims->size() != 3) return {};
  const Dim steps = (*dims)[0], rows = (*dims)[1];
  const std::int64_t blank = f.n.integer("blank_index", -1);
  Expr scores = f.transpose(f.in(0), {1, 0, 2}), most = f.reduce("amax", scores, {2});
  Expr best = f.op("argmax", {scores}, {{"axis", f.n.t.integer(2)}});
  Expr isWithin = f.expand(f.countTo(steps), 0) < f.expand(f.cast(f.in(1), Elem::i64), 1);
  Expr none =
      blank < 0 ? f.numberOf((*dims)[2]) + static_cast<double>(blank) : f.number(static_cast<double>(blank), Elem::i64);
  Expr isKept = isWithin && best != none;
  if (f.n.flag("merge_repeated")) {
    Expr before = f.filled({rows, f.dim(1)}, f.number(-1, Elem::i64));
    isKept = isKept && best != f.sliced(f.concat({before, best}, 1), 1, f.dim(0), steps);
  }
  Expr kept = f.cast(isKept, Elem::i64), places = f.op("nonzero", {isKept});
  Expr number = f.op("cumsum", {kept}, {{"axis", f.n.t.integer(1)}}) - 1.0;
  Expr indices = f.stack({f.at(places, 1, 0), f.op("gather_nd", {number, places})}, 1);
  Expr lengths = f.concat({f.reduce("sum", kept, {1}), f.full({1}, f.number(0, Elem::i64))}, 0);
  Expr shape = f.stack({f.numberOf(rows), f.reduce("amax", lengths, {0})}, 0);
  return {indices, f.op("gather_nd", {best, places}), shape, -f.reduce("sum", choose(isWithin, most, 0), {1}, true)};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                                  type                                       value  formula
    {"L2Loss",                               "(t s) -> t []",                           {},    l2LossFormula},
    {"SoftmaxCrossEntropyWithLogits",        crossEntropyType,                          {},    crossEntropyFormula},
    {"SparseSoftmaxCrossEntropyWithLogits",  "(t [b, c], i [b]) -> (t [b], t [b, c])",
                                                                                      {},    sparseCrossEntropyFormula},
    {"CTCLoss",                              "(t [n, b, c], i [k, 2], j [k], l [b]) -> (t [b], t [n, b, c])"},
    {"CTCGreedyDecoder",                     "(t [n, b, c], i [b]) -> (j [k, 2], j [k], j [2], t [b, 1])",
                                                                                        {},    ctcGreedyDecoderFormula},
    {"CTCLossV2",                            "(t [n, b, c], i [k, 2], j [k], l [b]) -> (t [b], t [n, b, c])"},
    {"CTCBeamSearchDecoder",                 beamSearchType},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::losses
