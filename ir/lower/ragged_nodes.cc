#include <algorithm>

#include "ir/lower/graph_builder.h"
#include "ir/lower/ragged.h"
#include "ir/lower/run_sizes.h"

namespace axle::ir::lowering {

Tensor sizeVector(Context& c, std::vector<Dim> values) {
  if (c.failed) return {};
  std::vector<Dim> shape{constantDim(c, values.size())};
  Fact fact{Elem::i64, std::move(shape), values};
  return emit(c, Op::dims, {}, DimsAttributes{std::move(values)}, std::move(fact)).value_or(Tensor{});
}

Tensor sizeScalar(Context& c, Dim value) {
  if (c.failed) return {};
  return emit(c, Op::dims, {}, DimsAttributes{{value}}, Fact{Elem::i64, {}, std::vector<Dim>{value}})
      .value_or(Tensor{});
}

Tensor integerOp(Context& c, Op op, const Tensor& a, const Tensor& b) {
  if (c.failed) return {};
  const std::vector<Dim>&x = fact(c, a).shape, &y = fact(c, b).shape;
  return emit(c, op, {a, b}, {}, Fact{Elem::i64, x.size() >= y.size() ? x : y, {}}).value_or(Tensor{});
}

Tensor elementAt(Context& c, const Tensor& vector, Dim index) {
  if (c.failed) return {};
  Dim one = c.dims().constant(1);
  auto slice = emit(c, Op::slice, {vector}, SliceAttributes{0, index, one}, Fact{Elem::i64, {one}, {}});
  return slice ? emit(c, Op::reshape, {*slice}, {}, Fact{Elem::i64, {}, {}}).value_or(Tensor{}) : Tensor{};
}

Tensor gatherRows(Context& c, const Tensor& rows, const Tensor& ids) {
  if (c.failed) return {};
  std::vector<Dim> shape = fact(c, ids).shape;
  shape.insert(shape.end(), fact(c, rows).shape.begin() + 1, fact(c, rows).shape.end());
  return emit(c, Op::gather, {rows, ids}, AxisAttributes{0}, Fact{fact(c, rows).elem, std::move(shape), {}})
      .value_or(Tensor{});
}

Tensor countUp(Context& c, Dim count) {
  if (c.failed) return {};
  return emit(c, Op::iota, {}, AxisAttributes{0}, Fact{Elem::i64, {count}, {}}).value_or(Tensor{});
}

Tensor reshapeOrNone(Context& c, const Tensor& x, std::vector<Dim> shape) {
  if (c.failed) return {};
  return reshape(c, x, std::move(shape)).value_or(Tensor{});
}

Tensor segmentIds(Context& c, const RaggedLengths& lengths) {
  if (c.failed) return {};
  Tensor up = countUp(c, lengths.rows);
  auto position = c.failed ? std::nullopt
                           : emit(c, Op::searchSorted, {lengths.splits, up}, SearchAttributes{true},
                                  Fact{Elem::i64, {lengths.rows}, {}});
  if (!position) return {};
  Tensor one = sizeScalar(c, c.dims().constant(1));
  return c.failed ? Tensor{} : integerOp(c, Op::sub, *position, one);
}

SegmentBounds segmentBounds(Context& c, const RaggedLengths& lengths) {
  if (c.failed) return {};
  Dim zero = c.dims().constant(0), one = c.dims().constant(1);
  Fact bounds{Elem::i64, {segmentCount(c, lengths)}, {}};
  auto begin = emit(c, Op::slice, {lengths.splits}, SliceAttributes{0, zero, one}, bounds);
  auto end = emit(c, Op::slice, {lengths.splits}, SliceAttributes{0, one, one}, bounds);
  return {begin.value_or(Tensor{}), end.value_or(Tensor{})};
}

void bindLongest(Context& c, DimVar size, const Tensor& segmentLengths, const RaggedLengths& lengths) {
  Dim zero = c.dims().constant(0);
  Tensor none = sizeScalar(c, zero);
  if (c.failed) return;
  auto longest = emit(c, Op::reduceMax, {segmentLengths, none}, AxisAttributes{0}, Fact{Elem::i64, {}, {}});
  if (longest) bindRunSize(c, size, *longest, lengths.rows);
}

Tensor splitsFromLengths(Context& c, const Tensor& lengths) {
  if (c.failed) return {};
  DimStore& dims = c.dims();
  Dim zero = dims.constant(0), count = fact(c, lengths).shape[0];
  auto sums = emit(c, Op::cumSum, {lengths}, ScanAttributes{0}, Fact{Elem::i64, {count}, {}});
  Tensor first = sizeVector(c, {zero});
  if (!sums || c.failed) return {};
  return emit(c, Op::concat, {first, *sums}, AxisAttributes{0},
              Fact{Elem::i64, {dims.add(count, dims.constant(1))}, {}})
      .value_or(Tensor{});
}

std::optional<RaggedReduction> reductionOver(Context& c, TypeId type, const RaggedDimension& ragged,
                                             const std::vector<std::size_t>& axes) {
  const Shape shape = c.type(type).shape;
  RaggedReduction out{ragged.axis, shape.size(), false, {}, {}};
  auto reduced = [&](std::size_t axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); };
  std::size_t first = ragged.axis + 1;  // first of the reduced axes that end at the ragged one
  while (first > 0 && reduced(first - 1)) --first;
  for (std::size_t i = 0; i < std::min(first, ragged.axis); ++i)
    if (reduced(i)) return std::nullopt;
  if (first == 0 || first > ragged.axis) return out;
  out.grouped = true;
  out.segments = segmentCount(c, requireRaggedLengths(c, ragged.length));
  out.segmentIds = segmentIds(c, requireRaggedLengths(c, ragged.length));
  if (first == ragged.axis) return out;
  for (std::size_t i = ragged.axis; i-- > first && !c.failed;)
    if (auto length = raggedLength(c.solution, shape[i].dim)) {
      out.segmentIds = gatherRows(c, segmentIds(c, requireRaggedLengths(c, *length)), out.segmentIds);
    } else {
      Tensor each = sizeScalar(c, shape[i].dim);
      if (!c.failed) out.segmentIds = integerOp(c, Op::div, out.segmentIds, each);
    }
  out.segments = c.dims().constant(1);
  for (std::size_t i = 0; i < first; ++i) {
    auto length = raggedLength(c.solution, shape[i].dim);
    out.segments = length ? requireRaggedLengths(c, *length).rows : c.dims().mul(out.segments, shape[i].dim);
  }
  return out;
}

std::optional<Tensor> spreadOverRows(Context& c, const Tensor& operand, TypeId type, TypeId resultType,
                                     const RaggedDimension& result) {
  DimStore& dims = c.dims();
  Shape of = c.type(type).shape;
  std::erase_if(of, [](const ShapePart& part) { return part.isVar; });  // of a literal
  const Shape to = c.type(resultType).shape;
  const std::size_t tail = to.size() - result.axis - 1, lead = to.size() - of.size();
  if (of.size() <= tail || raggedLength(c.solution, of[result.axis - lead].dim)) return operand;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i <= result.axis; ++i)
    if (i < lead || i == result.axis || (dims.asConstant(of[i - lead].dim) == 1 && dims.asConstant(to[i].dim) != 1))
      missing.push_back(i);
  auto reduction = reductionOver(c, resultType, result, missing);
  std::vector<Dim> flat = fact(c, operand).shape;
  flat.erase(flat.begin(), flat.end() - offset(tail));
  if (!reduction || c.failed) return std::nullopt;
  flat.insert(flat.begin(), reduction->grouped ? reduction->segments : dims.constant(1));
  Tensor all = reshapeOrNone(c, operand, std::move(flat));
  if (c.failed) return std::nullopt;
  return reduction->grouped ? gatherRows(c, all, reduction->segmentIds) : all;
}

std::optional<Tensor> reduceSegments(Context& c, Op op, const Tensor& start, const Tensor& rows, const Tensor& ids) {
  static constexpr std::pair<Op, ScatterMode> modes[] = {{Op::reduceSum, ScatterMode::add},
                                                         {Op::reduceProd, ScatterMode::multiply},
                                                         {Op::reduceMax, ScatterMode::max},
                                                         {Op::reduceMin, ScatterMode::min}};
  const auto* mode = std::find_if(std::begin(modes), std::end(modes), [&](const auto& m) { return m.first == op; });
  DimStore& dims = c.dims();
  Elem elem = fact(c, rows).elem, wide = elem == Elem::f16 || elem == Elem::bf16 ? Elem::f32 : elem;
  auto widened = [&](const Tensor& x) {
    return wide == elem ? std::optional(x) : emit(c, Op::cast, {x}, {}, Fact{wide, fact(c, x).shape, {}});
  };
  auto base = widened(start), updates = widened(rows);
  if (!base || !updates || c.failed) return std::nullopt;
  Tensor indices = reshapeOrNone(c, ids, {fact(c, ids).shape[0], dims.constant(1)});
  auto made = emit(c, Op::scatterNd, {*base, indices, *updates}, ModeAttributes{mode->second},
                   Fact{wide, fact(c, *base).shape, {}});
  if (!made || wide == elem) return made;
  return emit(c, Op::cast, {*made}, {}, Fact{elem, fact(c, *made).shape, {}});
}

}  // namespace axle::ir::lowering
