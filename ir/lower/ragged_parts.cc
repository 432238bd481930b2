// Small graphs over rows and row splits that operators of ragged tensors are made of.
#include "ir/lower/lowerer.h"

namespace axle::ir {

Tensor Lowerer::numbers(std::vector<Dim> values) {
  if (failed_) return {};
  std::vector<Dim> shape{model_.dims->constant(static_cast<std::int64_t>(values.size()))};
  Fact fact{Elem::i64, std::move(shape), values};
  return emit(Op::dims, {}, std::move(values), std::move(fact)).value_or(Tensor{});
}

Tensor Lowerer::number(Dim value) {
  if (failed_) return {};
  return emit(Op::dims, {}, {value}, Fact{Elem::i64, {}, std::vector<Dim>{value}}).value_or(Tensor{});
}

Tensor Lowerer::integers(Op op, const Tensor& a, const Tensor& b) {
  if (failed_) return {};
  const std::vector<Dim>&x = fact(a).shape, &y = fact(b).shape;
  return emit(op, {a, b}, {}, Fact{Elem::i64, x.size() >= y.size() ? x : y, {}}).value_or(Tensor{});
}

Tensor Lowerer::numberAt(const Tensor& vector, Dim index) {
  if (failed_) return {};
  Dim one = model_.dims->constant(1);
  auto slice = emit(Op::slice, {vector}, {model_.dims->constant(0), index, one}, Fact{Elem::i64, {one}, {}});
  return slice ? emit(Op::reshape, {*slice}, {}, Fact{Elem::i64, {}, {}}).value_or(Tensor{}) : Tensor{};
}

Tensor Lowerer::rowsAt(const Tensor& rows, const Tensor& ids) {
  if (failed_) return {};
  std::vector<Dim> shape = fact(ids).shape;
  shape.insert(shape.end(), fact(rows).shape.begin() + 1, fact(rows).shape.end());
  return emit(Op::gather, {rows, ids}, {model_.dims->constant(0)}, Fact{fact(rows).elem, std::move(shape), {}})
      .value_or(Tensor{});
}

Tensor Lowerer::countUp(Dim count) {
  if (failed_) return {};
  return emit(Op::iota, {}, {model_.dims->constant(0)}, Fact{Elem::i64, {count}, {}}).value_or(Tensor{});
}

Tensor Lowerer::shapedAs(const Tensor& x, std::vector<Dim> shape) {
  if (failed_) return {};
  if (fact(x).shape == shape) return x;
  return emit(Op::reshape, {x}, {}, Fact{fact(x).elem, std::move(shape), {}}).value_or(Tensor{});
}

// What is known of a length whose tensors are there.
Lowerer::Ragged Lowerer::lengthsOf(DimVar length) {
  if (const Ragged* known = raggedOf(length)) return *known;
  unexpected("the lengths of a ragged tensor are not known", spans_.empty() ? Span{} : spans_.back());
  return {scope_, {}, model_.dims->constant(0)};
}

// Which place each row belongs to.
Tensor Lowerer::placesOfRows(const Ragged& ragged) {
  if (failed_) return {};
  Tensor up = countUp(ragged.rows);
  auto found = failed_ ? std::nullopt
                       : emit(Op::searchSorted, {ragged.splits, up}, {model_.dims->constant(1)},
                              Fact{Elem::i64, {ragged.rows}, {}});
  if (!found) return {};
  Tensor one = number(model_.dims->constant(1));
  return failed_ ? Tensor{} : integers(Op::sub, *found, one);
}

Tensor Lowerer::splitsOf(const Tensor& lengths) {
  if (failed_) return {};
  DimStore& dims = *model_.dims;
  Dim zero = dims.constant(0), count = fact(lengths).shape[0];
  auto sums = emit(Op::cumSum, {lengths}, {zero, zero, zero}, Fact{Elem::i64, {count}, {}});
  Tensor first = numbers({zero});
  if (!sums || failed_) return {};
  return emit(Op::concat, {first, *sums}, {zero}, Fact{Elem::i64, {dims.add(count, dims.constant(1))}, {}})
      .value_or(Tensor{});
}

// The value of a scalar as a size from here on.
void Lowerer::findSize(DimVar size, const Tensor& value, Dim most) {
  if (failed_ || !willFind(size, most)) return;
  Node node;
  node.op = Op::size;
  node.finds = {{0, size}};
  emitNode(std::move(node), {value}, {Fact{Elem::i64, {}, {}}});
}

std::vector<Dim> Lowerer::tailOf(TypeId type, const RaggedShape& ragged) {
  std::vector<Dim> tail;
  const Shape& shape = solution_.types[type].shape;
  for (std::size_t i = ragged.axis + 1; i < shape.size(); ++i) tail.push_back(shape[i].dim);
  return tail;
}

// How many lengths there are.
Dim Lowerer::placesOf(const Ragged& ragged) {
  if (failed_) return model_.dims->constant(0);
  return model_.dims->sub(fact(ragged.splits).shape[0], model_.dims->constant(1));
}

}  // namespace axle::ir
