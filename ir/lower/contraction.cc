// Sums of products: einsum and its relatives become transposes, matrix products and sums.
#include <algorithm>

#include "ir/lower/formula.h"
#include "typecheck/solver/einsum.h"

namespace axle::ir {

// A tensor whose axes have names: letters, or from `ellipsis` on what `...` stands for, counted from the trailing end.
struct Lowerer::Labelled {
  Tensor tensor;
  std::vector<int> labels;
  bool has(int label) const { return std::find(labels.begin(), labels.end(), label) != labels.end(); }
};

namespace {

constexpr int ellipsis = 256;

// What operators of one fixed equation compute.
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

void append(std::vector<int>& to, const std::vector<int>& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace

std::optional<Tensor> Lowerer::reshaped(const Tensor& x, std::vector<Dim> shape) {
  if (fact(x).shape == shape) return x;
  Elem elem = fact(x).elem;
  return emit(Op::reshape, {x}, {}, Fact{elem, std::move(shape), {}});
}

std::optional<Tensor> Lowerer::sumOver(const Tensor& x, std::size_t axis) {
  Fact sum{fact(x).elem, fact(x).shape, {}};
  sum.shape.erase(sum.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  Tensor zero = constantHere(model_.addConstant(sum.elem, {}, std::vector<std::byte>(info(sum.elem).bytes)));
  return emit(Op::reduceSum, {x, zero}, {model_.dims->constant(static_cast<std::int64_t>(axis))}, std::move(sum));
}

// Of [.., m, n]: every (n + 1)th element of [.., m*n].
std::optional<Tensor> Lowerer::diagonal(const Tensor& x) {
  DimStore& dims = *model_.dims;
  std::vector<Dim> shape = fact(x).shape;
  Dim n = shape.back(), m = shape.end()[-2];
  shape.pop_back();
  shape.back() = dims.mul(m, n);
  auto flat = reshaped(x, shape);
  if (!flat) return std::nullopt;
  Dim axis = dims.constant(static_cast<std::int64_t>(shape.size() - 1));
  shape.back() = dims.min(m, n);
  Elem elem = fact(*flat).elem;
  return emit(Op::slice, {*flat}, {axis, dims.constant(0), dims.add(n, dims.constant(1))}, Fact{elem, shape, {}});
}

std::optional<Lowerer::Labelled> Lowerer::ordered(Labelled x, const std::vector<int>& order) {
  if (x.labels == order) return x;
  std::vector<Dim> perm;
  Fact turned{fact(x.tensor).elem, {}, {}};
  std::vector<bool> used(x.labels.size(), false);
  for (int label : order)
    for (std::size_t i = 0; i < x.labels.size(); ++i) {
      if (x.labels[i] != label || used[i]) continue;
      used[i] = true;
      perm.push_back(model_.dims->constant(static_cast<std::int64_t>(i)));
      turned.shape.push_back(fact(x.tensor).shape[i]);
      break;
    }
  auto tensor = emit(Op::transpose, {x.tensor}, std::move(perm), std::move(turned));
  if (!tensor) return std::nullopt;
  return Labelled{*tensor, order};
}

// Without repeated labels, and without those that nobody else knows.
std::optional<Lowerer::Labelled> Lowerer::simplified(Labelled x, const std::set<int>& elsewhere) {
  for (std::size_t i = 0; i < x.labels.size();) {
    int label = x.labels[i];
    if (std::count(x.labels.begin(), x.labels.end(), label) > 1) {
      std::vector<int> order, kept;
      int left = 2;
      for (int other : x.labels)
        if (other != label || left-- <= 0) order.push_back(other);
      kept = order;
      append(order, {label, label});
      auto turned = ordered(std::move(x), order);
      auto taken = turned ? diagonal(turned->tensor) : std::nullopt;
      if (!taken) return std::nullopt;
      kept.push_back(label);
      x = {*taken, kept};
      i = 0;
    } else if (elsewhere.count(label) == 0) {
      auto sum = sumOver(x.tensor, i);
      if (!sum) return std::nullopt;
      x.tensor = *sum;
      x.labels.erase(x.labels.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return x;
}

// One matrix product: both labels that are kept are its batch, both that are not are summed over.
std::optional<Lowerer::Labelled> Lowerer::product(Labelled a, Labelled b, const std::set<int>& kept) {
  DimStore& dims = *model_.dims;
  auto size = [&](const Labelled& x, int label) {
    auto at = std::find(x.labels.begin(), x.labels.end(), label) - x.labels.begin();
    return fact(x.tensor).shape[static_cast<std::size_t>(at)];
  };
  // Where one operand stretches, it has no such axis.
  auto squeeze = [&](Labelled& x, const Labelled& other) {
    Labelled out{x.tensor, {}};
    std::vector<Dim> shape;
    for (int label : x.labels)
      if (!other.has(label) || dims.asConstant(size(x, label)) != 1 || dims.asConstant(size(other, label)) == 1) {
        out.labels.push_back(label);
        shape.push_back(size(x, label));
      }
    auto tensor = reshaped(x.tensor, std::move(shape));
    if (tensor) out.tensor = *tensor;
    x = std::move(out);
    return tensor.has_value();
  };
  if (!squeeze(a, b) || !squeeze(b, a)) return std::nullopt;
  std::vector<int> batch, summed, left, right;
  for (int label : a.labels) (!b.has(label) ? left : kept.count(label) ? batch : summed).push_back(label);
  for (int label : b.labels)
    if (!a.has(label)) right.push_back(label);
  std::vector<int> orderA = batch, orderB = batch, labels = batch;
  append(orderA, left);
  append(orderA, summed);
  append(orderB, summed);
  append(orderB, right);
  append(labels, left);
  append(labels, right);
  std::vector<Dim> shape;
  for (int label : labels) shape.push_back(size(a.has(label) ? a : b, label));
  auto total = [&](const Labelled& x, const std::vector<int>& some) {
    Dim count = dims.constant(1);
    for (int label : some) count = dims.mul(count, size(x, label));
    return count;
  };
  Dim batches = total(a, batch), m = total(a, left), k = total(a, summed), n = total(b, right);
  auto x = ordered(std::move(a), orderA), y = ordered(std::move(b), orderB);
  if (!x || !y) return std::nullopt;
  auto matrixA = reshaped(x->tensor, {batches, m, k}), matrixB = reshaped(y->tensor, {batches, k, n});
  if (!matrixA || !matrixB) return std::nullopt;
  Elem elem = fact(*matrixA).elem;
  auto matrix = emit(Op::matmul, {*matrixA, *matrixB}, {}, Fact{elem, {batches, m, n}, {}});
  auto tensor = matrix ? reshaped(*matrix, std::move(shape)) : std::nullopt;
  if (!tensor) return std::nullopt;
  return Labelled{*tensor, std::move(labels)};
}

std::optional<Tensor> Lowerer::contract(std::vector<Labelled> operands, const std::vector<int>& result) {
  auto needed = [&](std::size_t from) {
    std::set<int> labels(result.begin(), result.end());
    for (std::size_t i = from; i < operands.size(); ++i)
      labels.insert(operands[i].labels.begin(), operands[i].labels.end());
    return labels;
  };
  std::set<int> later = needed(1);
  std::optional<Labelled> total = simplified(operands[0], later);
  for (std::size_t i = 1; i < operands.size() && total; ++i) {
    std::set<int> kept = needed(i + 1), known = kept;
    known.insert(total->labels.begin(), total->labels.end());
    auto next = simplified(operands[i], known);
    if (!next) return std::nullopt;
    total = product(std::move(*total), std::move(*next), kept);
    if (total) total = simplified(std::move(*total), kept);
  }
  if (total) total = ordered(std::move(*total), result);
  if (!total) return std::nullopt;
  return total->tensor;
}

std::optional<std::vector<std::vector<int>>> Lowerer::einsumLabels(const Application& a, const CoreOperator& core,
                                                                   const std::vector<std::size_t>& ranks) {
  std::string text = wordAttribute(a, "equation");
  for (const auto& [name, equation] : equations)
    if (core.name == name) text = equation;
  auto equation = parseEinsum(text, ranks.size());
  if (!equation) return unexpected(equation.error(), a.expr->span);
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

std::optional<Value> Lowerer::lowerEinsum(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  if (!inputs) return std::nullopt;
  std::vector<std::size_t> ranks;
  for (const Tensor& input : *inputs) ranks.push_back(fact(input).shape.size());
  auto labels = einsumLabels(a, core, ranks);
  if (!labels) return std::nullopt;
  std::vector<Labelled> operands;
  for (std::size_t i = 0; i < inputs->size(); ++i) operands.push_back({(*inputs)[i], (*labels)[i]});
  return tensor(contract(std::move(operands), labels->back()));
}

// Rows are one label. An operand, or the result, that has only the first of the dimensions that rows stand for is
// spread over them, or summed.
std::optional<Value> Lowerer::lowerRaggedEinsum(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  if (!inputs) return std::nullopt;
  std::vector<std::size_t> ranks;
  std::optional<RaggedShape> ragged;
  std::size_t known = 0;  // the operand whose ragged dimension stands last
  for (std::size_t i = 0; i < inputs->size(); ++i) {
    TypeId type = argumentType(a, i);
    ranks.push_back(solution_.types[type].shape.size());
    if (auto shape = raggedShape(type); shape && (!ragged || shape->axis > ragged->axis)) ragged = shape, known = i;
  }
  auto labels = ragged ? einsumLabels(a, core, ranks) : std::nullopt;
  if (!labels) return failed_ ? std::nullopt : notForRagged(a, core, "its operands are none");
  constexpr int rows = 2 * ellipsis;
  const std::size_t count = ragged->axis + 1;
  const std::vector<int> lead((*labels)[known].begin(), (*labels)[known].begin() + static_cast<std::ptrdiff_t>(count));
  // How many of `lead` begin these labels; none where others of it follow.
  auto shared = [&](const std::vector<int>& all) -> std::optional<std::size_t> {
    auto end = std::mismatch(all.begin(), all.end(), lead.begin(), lead.end()).first;
    bool more = std::any_of(end, all.end(), [&](int l) { return std::count(lead.begin(), lead.end(), l) > 0; });
    return more ? std::nullopt : std::optional(static_cast<std::size_t>(end - all.begin()));
  };
  auto ofRows = [&](std::vector<int> all, std::size_t of) {
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(of));
    if (of > 0) all.insert(all.begin(), rows);
    return all;
  };
  auto groups = [&](std::size_t of) {
    std::vector<std::size_t> gone;
    for (std::size_t i = of; i < count; ++i) gone.push_back(i);
    return groupsOver(argumentType(a, known), *ragged, gone);
  };
  std::vector<Labelled> operands;
  for (std::size_t i = 0; i < inputs->size(); ++i) {
    auto of = shared((*labels)[i]);
    auto own = raggedShape(argumentType(a, i));
    if (!of || (own && *of <= own->axis)) return notForRagged(a, core, "rows are not its first labels");
    Tensor x = (*inputs)[i];
    if (*of > 0 && *of < count) {
      auto spread = groups(*of);
      if (!spread || failed_) return std::nullopt;
      std::vector<Dim> flat = fact(x).shape;
      flat.erase(flat.begin(), flat.begin() + static_cast<std::ptrdiff_t>(own ? *of - own->axis : *of));
      flat.insert(flat.begin(), spread->count);
      x = rowsAt(shapedAs(x, std::move(flat)), spread->groups);
      if (failed_) return std::nullopt;
    }
    operands.push_back({x, ofRows((*labels)[i], *of)});
  }
  auto of = shared(labels->back());
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!of || !result) return failed_ ? std::nullopt : notForRagged(a, core, "rows are not its first labels");
  auto made = contract(std::move(operands), ofRows(labels->back(), *of));
  if (!made || *of == 0 || *of == count) return tensor(std::move(made));
  auto sums = groups(*of);
  if (!sums || failed_) return std::nullopt;
  std::vector<Dim> flat = fact(*made).shape;
  flat[0] = sums->count;
  Tensor zero = constantHere(model_.addConstant(result->elem, {}, std::vector<std::byte>(info(result->elem).bytes)));
  auto start = emit(Op::broadcast, {zero}, {}, Fact{result->elem, flat, {}});
  auto summed = start ? scatterReduce(Op::reduceSum, *start, *made, sums->groups) : std::nullopt;
  if (!summed) return std::nullopt;
  return Value{shapedAs(*summed, result->shape)};
}

// The trailing axes of `inner` are one.
std::optional<Value> Lowerer::lowerInner(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  if (!inputs) return std::nullopt;
  bool inner = core.name == "inner";
  std::vector<Labelled> operands;
  std::vector<int> result;
  int next = 1;
  for (const Tensor& input : *inputs) {
    std::vector<int> labels;
    for (std::size_t i = 0; i < fact(input).shape.size(); ++i) labels.push_back(next++);
    if (inner) labels.back() = 0;
    append(result, labels);
    operands.push_back({input, std::move(labels)});
  }
  std::erase(result, 0);
  return tensor(contract(std::move(operands), result));
}

}  // namespace axle::ir
