// einsum and operators that are einsums: each axis has a label, and labels that are not in the result are summed over.
#include "typecheck/solver/einsum.h"

#include <algorithm>

#include "ir/lower/contraction.h"
#include "ir/lower/facts.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/ragged.h"

namespace axle::ir::lowering {

namespace {

// Labels below this are letters; from here on they are axes of `...`, counted from the trailing end.
constexpr int ellipsis = 256;
constexpr int rows = 2 * ellipsis;  // the rows of ragged tensors

// Operators that are einsums with a fixed equation.
constexpr std::pair<std::string_view, std::string_view> equations[] = {
    {"batch_matmul", "...ik,...kj->...ij"},
    {"matmul_nt", "...ik,...jk->...ij"},
    {"matmul_tn", "...ki,...kj->...ij"},
    {"matvec", "...ij,...j->...i"},
    {"dot", "i,i->"},
};

std::vector<int> labelsOf(const EinsumTerm& term, std::size_t rank) {
  std::vector<int> labels(term.before.begin(), term.before.end());
  if (term.ellipsis)
    for (std::size_t i = rank - term.letters().size(); i > 0; --i) labels.push_back(ellipsis + static_cast<int>(i));
  labels.insert(labels.end(), term.after.begin(), term.after.end());
  return labels;
}

// The labels of each operand, then of the result.
std::optional<std::vector<std::vector<int>>> einsumLabels(Context& c, const Application& a, const CoreOperator& core,
                                                          const std::vector<std::size_t>& ranks) {
  std::string text = wordAttribute(c, a, "equation");
  for (const auto& [name, equation] : equations)
    if (core.name == name) text = equation;
  auto equation = parseEinsum(text, ranks.size());
  if (!equation) return reportBug(c, equation.error(), a.span());
  std::vector<std::vector<int>> labels;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const EinsumTerm& term = equation->operands[i];
    labels.push_back(labelsOf(term, ranks[i]));
    if (term.ellipsis) widest = std::max(widest, ranks[i] - term.letters().size());
  }
  labels.push_back(labelsOf(equation->result, widest + equation->result.letters().size()));
  return labels;
}

std::optional<Value> lowerEinsum(Context& c, const Application& a, const CoreOperator& core) {
  auto inputs = arguments(c, a);
  if (!inputs) return std::nullopt;
  std::vector<std::size_t> ranks;
  for (const Tensor& input : *inputs) ranks.push_back(fact(c, input).shape.size());
  auto labels = einsumLabels(c, a, core, ranks);
  if (!labels) return std::nullopt;
  std::vector<Labelled> operands;
  for (std::size_t i = 0; i < inputs->size(); ++i) operands.push_back({(*inputs)[i], (*labels)[i]});
  return toValue(contract(c, std::move(operands), labels->back()));
}

// An einsum of ragged operands: the dimensions up to the last ragged one are stored as rows, which get one label. The
// labels of these dimensions lead in one operand; every other operand, and the result, begins with some of them or has
// none.
struct RaggedEinsum {
  TypeId type;  // of the operand with the most leading labels
  RaggedDimension ragged;
  std::vector<int> leading;

  // Returns the number of leading labels that `labels` begins with; nothing if other leading labels follow later.
  std::optional<std::size_t> shared(const std::vector<int>& labels) const {
    auto end = std::mismatch(labels.begin(), labels.end(), leading.begin(), leading.end()).first;
    bool more =
        std::any_of(end, labels.end(), [&](int l) { return std::count(leading.begin(), leading.end(), l) > 0; });
    return more ? std::nullopt : std::optional(static_cast<std::size_t>(end - labels.begin()));
  }
  // Replaces the first `count` labels by the label of rows.
  static std::vector<int> withRows(std::vector<int> labels, std::size_t count) {
    labels.erase(labels.begin(), labels.begin() + offset(count));
    if (count > 0) labels.insert(labels.begin(), rows);
    return labels;
  }
  // Returns the reduction of rows to the first `count` leading dimensions.
  std::optional<RaggedReduction> reductionTo(Context& c, std::size_t count) const {
    std::vector<std::size_t> axes;
    for (std::size_t i = count; i < leading.size(); ++i) axes.push_back(i);
    auto reduction = reductionOver(c, type, ragged, axes);
    return c.failed ? std::nullopt : reduction;
  }
};

// Repeats an operand for each row; the operand has only some of the leading dimensions.
std::optional<Tensor> repeatForRows(Context& c, const RaggedEinsum& einsum, const Tensor& x, std::size_t count,
                                    const std::optional<RaggedDimension>& own) {
  auto reduction = einsum.reductionTo(c, count);
  if (!reduction) return std::nullopt;
  std::vector<Dim> shape = fact(c, x).shape;
  shape.erase(shape.begin(), shape.begin() + offset(own ? count - own->axis : count));
  shape.insert(shape.begin(), reduction->segments);
  Tensor repeated = gatherRows(c, reshapeOrNone(c, x, std::move(shape)), reduction->segmentIds);
  return c.failed ? std::nullopt : std::optional(repeated);
}

// Sums the rows of a result that has only some of the leading dimensions.
std::optional<Tensor> sumRows(Context& c, const RaggedEinsum& einsum, const Tensor& x, std::size_t count,
                              const Fact& result) {
  auto reduction = einsum.reductionTo(c, count);
  if (!reduction) return std::nullopt;
  std::vector<Dim> shape = fact(c, x).shape;
  shape[0] = reduction->segments;
  auto start = emit(c, Op::broadcast, {zeroScalar(c, result.elem)}, {}, Fact{result.elem, std::move(shape), {}});
  auto sums = start ? reduceSegments(c, Op::reduceSum, *start, x, reduction->segmentIds) : std::nullopt;
  if (!sums) return std::nullopt;
  return reshapeOrNone(c, *sums, result.shape);
}

std::optional<Value> lowerRaggedEinsum(Context& c, const Application& a, const CoreOperator& core) {
  auto inputs = arguments(c, a);
  if (!inputs) return std::nullopt;
  std::vector<std::size_t> ranks;
  std::vector<std::optional<RaggedDimension>> ragged;
  std::size_t most = 0;  // the operand whose ragged dimension is the last
  for (std::size_t i = 0; i < inputs->size(); ++i) {
    TypeId type = argumentType(c, a, i);
    ranks.push_back(c.type(type).shape.size());
    ragged.push_back(raggedDimension(c, type));
    if (ragged[i] && (!ragged[most] || ragged[i]->axis > ragged[most]->axis)) most = i;
  }
  auto labels = ragged[most] ? einsumLabels(c, a, core, ranks) : std::nullopt;
  if (!labels) return c.failed ? std::nullopt : failRagged(c, a, core, "no operand is ragged");
  const std::vector<int>& all = (*labels)[most];
  const std::size_t leading = ragged[most]->axis + 1;
  const RaggedEinsum einsum{argumentType(c, a, most), *ragged[most], {all.begin(), all.begin() + offset(leading)}};

  std::vector<Labelled> operands;
  for (std::size_t i = 0; i < inputs->size(); ++i) {
    auto count = einsum.shared((*labels)[i]);
    if (!count || (ragged[i] && *count <= ragged[i]->axis))
      return failRagged(c, a, core, "the dimensions up to the ragged one are not its first labels");
    std::optional<Tensor> x = (*inputs)[i];
    if (*count > 0 && *count < leading) x = repeatForRows(c, einsum, *x, *count, ragged[i]);
    if (!x) return std::nullopt;
    operands.push_back({*x, RaggedEinsum::withRows((*labels)[i], *count)});
  }
  auto count = einsum.shared(labels->back());
  std::optional<Fact> result = factOfType(c, a.type, a.span());
  if (!count || !result)
    return c.failed ? std::nullopt
                    : failRagged(c, a, core, "the dimensions up to the ragged one are not its first labels");
  auto product = contract(c, std::move(operands), RaggedEinsum::withRows(labels->back(), *count));
  if (!product || *count == 0 || *count == leading) return toValue(std::move(product));
  return toValue(sumRows(c, einsum, *product, *count, *result));
}

// `inner` sums over the last axis of both operands; `outer` over none.
std::optional<Value> lowerInner(Context& c, const Application& a, const CoreOperator& core) {
  auto inputs = arguments(c, a);
  if (!inputs) return std::nullopt;
  bool inner = core.name == "inner";
  std::vector<Labelled> operands;
  std::vector<int> result;
  int next = 1;
  for (const Tensor& input : *inputs) {
    std::vector<int> labels;
    for (std::size_t i = 0; i < fact(c, input).shape.size(); ++i) labels.push_back(next++);
    if (inner) labels.back() = 0;
    result.insert(result.end(), labels.begin(), labels.end());
    operands.push_back({input, std::move(labels)});
  }
  std::erase(result, 0);
  return toValue(contract(c, std::move(operands), result));
}

}  // namespace

std::span<const CoreOperator> contractionOperators() {
  static constexpr CoreOperator rows[] = {
      {"einsum", Op::none, lowerEinsum, lowerRaggedEinsum},
      {"batch_matmul", Op::none, lowerEinsum},
      {"matmul_nt", Op::none, lowerEinsum},
      {"matmul_tn", Op::none, lowerEinsum},
      {"matvec", Op::none, lowerEinsum},
      {"dot", Op::none, lowerEinsum},
      {"inner", Op::none, lowerInner},
      {"outer", Op::none, lowerInner},
  };
  return rows;
}

}  // namespace axle::ir::lowering
