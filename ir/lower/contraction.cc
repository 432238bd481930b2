#include "ir/lower/contraction.h"

#include <algorithm>
#include <set>

#include "ir/lower/graph_builder.h"

namespace axle::ir::lowering {

namespace {

void append(std::vector<int>& to, const std::vector<int>& more) { to.insert(to.end(), more.begin(), more.end()); }

std::optional<Tensor> sumOver(Context& c, const Tensor& x, std::size_t axis) {
  Fact sum{fact(c, x).elem, fact(c, x).shape, {}};
  sum.shape.erase(sum.shape.begin() + offset(axis));
  Tensor zero = zeroScalar(c, sum.elem);
  return emit(c, Op::reduceSum, {x, zero}, AxisAttributes{axis}, std::move(sum));
}

// The diagonal of the matrices [.., m, n]: every (n + 1)th element of [.., m*n].
std::optional<Tensor> diagonal(Context& c, const Tensor& x) {
  DimStore& dims = c.dims();
  std::vector<Dim> shape = fact(c, x).shape;
  Dim n = shape.back(), m = shape.end()[-2];
  shape.pop_back();
  shape.back() = dims.mul(m, n);
  auto flat = reshape(c, x, shape);
  if (!flat) return std::nullopt;
  const std::size_t axis = shape.size() - 1;
  shape.back() = dims.min(m, n);
  Elem elem = fact(c, *flat).elem;
  return emit(c, Op::slice, {*flat}, SliceAttributes{axis, dims.constant(0), dims.add(n, dims.constant(1))},
              Fact{elem, shape, {}});
}

std::optional<Labelled> ordered(Context& c, Labelled x, const std::vector<int>& order) {
  if (x.labels == order) return x;
  Axes perm;
  Fact turned{fact(c, x.tensor).elem, {}, {}};
  std::vector<bool> used(x.labels.size(), false);
  for (int label : order)
    for (std::size_t i = 0; i < x.labels.size(); ++i) {
      if (x.labels[i] != label || used[i]) continue;
      used[i] = true;
      perm.push_back(i);
      turned.shape.push_back(fact(c, x.tensor).shape[i]);
      break;
    }
  auto tensor = emit(c, Op::transpose, {x.tensor}, PermAttributes{std::move(perm)}, std::move(turned));
  if (!tensor) return std::nullopt;
  return Labelled{*tensor, order};
}

// Takes the diagonal of repeated labels and sums over labels that are not in `elsewhere`.
std::optional<Labelled> simplified(Context& c, Labelled x, const std::set<int>& elsewhere) {
  for (std::size_t i = 0; i < x.labels.size();) {
    int label = x.labels[i];
    if (std::count(x.labels.begin(), x.labels.end(), label) > 1) {
      std::vector<int> order, kept;
      int left = 2;
      for (int other : x.labels)
        if (other != label || left-- <= 0) order.push_back(other);
      kept = order;
      append(order, {label, label});
      auto turned = ordered(c, std::move(x), order);
      auto taken = turned ? diagonal(c, turned->tensor) : std::nullopt;
      if (!taken) return std::nullopt;
      kept.push_back(label);
      x = {*taken, kept};
      i = 0;
    } else if (elsewhere.count(label) == 0) {
      auto sum = sumOver(c, x.tensor, i);
      if (!sum) return std::nullopt;
      x.tensor = *sum;
      x.labels.erase(x.labels.begin() + offset(i));
    } else {
      ++i;
    }
  }
  return x;
}

Dim sizeOf(const Context& c, const Labelled& x, int label) {
  auto at = std::find(x.labels.begin(), x.labels.end(), label) - x.labels.begin();
  return fact(c, x.tensor).shape[static_cast<std::size_t>(at)];
}

Dim productOfSizes(Context& c, const Labelled& x, const std::vector<int>& labels) {
  Dim count = c.dims().constant(1);
  for (int label : labels) count = c.dims().mul(count, sizeOf(c, x, label));
  return count;
}

// Drops axes of size 1 that broadcast against an axis of the other operand.
std::optional<Labelled> squeezed(Context& c, const Labelled& x, const Labelled& other) {
  DimStore& dims = c.dims();
  std::vector<int> labels;
  std::vector<Dim> shape;
  for (int label : x.labels) {
    Dim size = sizeOf(c, x, label);
    if (other.has(label) && dims.asConstant(size) == 1 && dims.asConstant(sizeOf(c, other, label)) != 1) continue;
    labels.push_back(label);
    shape.push_back(size);
  }
  auto tensor = reshape(c, x.tensor, std::move(shape));
  if (!tensor) return std::nullopt;
  return Labelled{*tensor, std::move(labels)};
}

// Emits one matrix product. A label of both operands is a batch dimension if `kept` has it; otherwise it is summed
// over.
std::optional<Labelled> product(Context& c, const Labelled& first, const Labelled& second, const std::set<int>& kept) {
  auto a = squeezed(c, first, second);
  auto b = a ? squeezed(c, second, *a) : std::nullopt;
  if (!b) return std::nullopt;
  std::vector<int> batch, summed, left, right;
  for (int label : a->labels) (!b->has(label) ? left : kept.count(label) ? batch : summed).push_back(label);
  for (int label : b->labels)
    if (!a->has(label)) right.push_back(label);
  std::vector<int> orderA = batch, orderB = batch, labels = batch;
  append(orderA, left);
  append(orderA, summed);
  append(orderB, summed);
  append(orderB, right);
  append(labels, left);
  append(labels, right);
  std::vector<Dim> shape;
  for (int label : labels) shape.push_back(sizeOf(c, a->has(label) ? *a : *b, label));
  Dim m = productOfSizes(c, *a, left), k = productOfSizes(c, *a, summed), n = productOfSizes(c, *b, right);
  std::vector<Dim> batches;
  if (left.size() == 1 && summed.size() == 1 && right.size() == 1 && batch.size() > 1)  // already matrices
    for (int label : batch) batches.push_back(sizeOf(c, *a, label));
  else
    batches.push_back(productOfSizes(c, *a, batch));
  const auto matrices = [&](Dim rows, Dim columns) {
    std::vector<Dim> sizes = batches;
    sizes.insert(sizes.end(), {rows, columns});
    return sizes;
  };
  auto x = ordered(c, std::move(*a), orderA), y = ordered(c, std::move(*b), orderB);
  if (!x || !y) return std::nullopt;
  auto matrixA = reshape(c, x->tensor, matrices(m, k)), matrixB = reshape(c, y->tensor, matrices(k, n));
  if (!matrixA || !matrixB) return std::nullopt;
  Elem elem = fact(c, *matrixA).elem;
  auto matrix = emit(c, Op::matmul, {*matrixA, *matrixB}, {}, Fact{elem, matrices(m, n), {}});
  auto tensor = matrix ? reshape(c, *matrix, std::move(shape)) : std::nullopt;
  if (!tensor) return std::nullopt;
  return Labelled{*tensor, std::move(labels)};
}

}  // namespace

std::optional<Tensor> contract(Context& c, std::vector<Labelled> operands, const std::vector<int>& result) {
  auto needed = [&](std::size_t from) {
    std::set<int> labels(result.begin(), result.end());
    for (std::size_t i = from; i < operands.size(); ++i)
      labels.insert(operands[i].labels.begin(), operands[i].labels.end());
    return labels;
  };
  std::set<int> later = needed(1);
  std::optional<Labelled> total = simplified(c, operands[0], later);
  for (std::size_t i = 1; i < operands.size() && total; ++i) {
    std::set<int> kept = needed(i + 1), known = kept;
    known.insert(total->labels.begin(), total->labels.end());
    auto next = simplified(c, operands[i], known);
    if (!next) return std::nullopt;
    total = product(c, *total, *next, kept);
    if (total) total = simplified(c, std::move(*total), kept);
  }
  if (total) total = ordered(c, std::move(*total), result);
  if (!total) return std::nullopt;
  return total->tensor;
}

}  // namespace axle::ir::lowering
