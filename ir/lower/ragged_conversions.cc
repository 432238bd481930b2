// Converts between ragged and dense tensors.
#include "ir/lower/facts.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/ragged.h"
#include "ir/lower/run_sizes.h"

namespace axle::ir::lowering {

namespace {

// Gathers the rows; positions past the end of a segment gather an extra row with the fill value.
std::optional<Value> lowerToDense(Context& c, const Application& a, const CoreOperator& core) {
  TypeId type = argumentType(c, a, 0);
  auto ragged = raggedDimension(c, type);
  auto count = ragged ? c.dims().asVariable(c.type(a.type).shape[ragged->axis].dim) : std::nullopt;
  auto inputs = count ? arguments(c, a) : std::nullopt;
  if (!inputs) return failRagged(c, a, core, "it converts one ragged dimension");
  DimStore& dims = c.dims();
  const RaggedLengths lengths = requireRaggedLengths(c, ragged->length);
  Dim one = dims.constant(1), segments = segmentCount(c, lengths), longest = dims.variable(*count);
  const SegmentBounds bounds = segmentBounds(c, lengths);
  if (c.failed) return std::nullopt;
  Tensor length = integerOp(c, Op::sub, bounds.end, bounds.begin);
  bindLongest(c, *count, length, lengths);
  std::optional<Fact> result = factOfType(c, a.type, a.span());
  if (!result) return std::nullopt;
  Tensor step = countUp(c, longest), from = reshapeOrNone(c, bounds.begin, {segments, one}),
         until = reshapeOrNone(c, length, {segments, one});
  if (c.failed) return std::nullopt;
  std::vector<Dim> grid{segments, longest};
  auto within = emit(c, Op::less, {step, until}, {}, Fact{Elem::boolean, grid, {}});
  auto at = within ? emit(c, Op::add, {step, from}, {}, Fact{Elem::i64, grid, {}}) : std::nullopt;
  Tensor past = at ? sizeScalar(c, lengths.rows) : Tensor{};
  auto ids = at && !c.failed ? emit(c, Op::select, {*within, *at, past}, {}, Fact{Elem::i64, grid, {}}) : std::nullopt;
  std::vector<Dim> row = fact(c, (*inputs)[0]).shape;
  row[0] = one;
  auto fill = ids ? emit(c, Op::broadcast, {(*inputs)[1]}, {}, Fact{result->elem, row, {}}) : std::nullopt;
  row[0] = dims.add(lengths.rows, one);
  auto rows =
      fill ? emit(c, Op::concat, {(*inputs)[0], *fill}, AxisAttributes{0}, Fact{result->elem, row, {}}) : std::nullopt;
  if (!rows) return std::nullopt;
  Tensor dense = gatherRows(c, *rows, *ids);
  return c.failed ? std::nullopt : std::optional(Value{reshapeOrNone(c, dense, result->shape)});
}

std::optional<Value> lowerToRagged(Context& c, const Application& a, const CoreOperator& core) {
  auto ragged = raggedDimension(c, a.type);
  auto inputs = ragged && ragged->axis == 1 ? arguments(c, a) : std::nullopt;
  if (!inputs) return failRagged(c, a, core, "the ragged dimension must be the second one");
  DimStore& dims = c.dims();
  const Tensor x = (*inputs)[0];
  std::vector<Dim> shape = fact(c, x).shape;
  Dim segments = shape[0], n = shape[1];
  Tensor width = sizeScalar(c, n);
  auto widths = c.failed ? std::nullopt : emit(c, Op::broadcast, {width}, {}, Fact{Elem::i64, {segments}, {}});
  if (!widths) return std::nullopt;
  auto lengths = emit(c, Op::require, {(*inputs)[1], *widths, (*inputs)[1]},
                      RequireAttributes{Requirement::lengthsUpTo}, Fact{Elem::i64, {segments}, {}});
  Tensor splits = lengths ? splitsFromLengths(c, *lengths) : Tensor{};
  if (!lengths || c.failed) return std::nullopt;
  DimVar rows = newRunSize(c, dims.name(ragged->length));
  bindRunSize(c, rows, elementAt(c, splits, segments), dims.mul(segments, n));
  const RaggedLengths made{c.scope, splits, dims.variable(rows)};
  c.raggedLengths[ragged->length.index] = made;
  Tensor segment = segmentIds(c, made);
  if (c.failed) return std::nullopt;
  Tensor begin = gatherRows(c, splits, segment), row = countUp(c, made.rows);
  Tensor column = integerOp(c, Op::sub, row, begin), line = integerOp(c, Op::mul, segment, width);
  Tensor ids = integerOp(c, Op::add, line, column);
  shape.erase(shape.begin());
  shape[0] = dims.mul(segments, n);
  Tensor flat = c.failed ? Tensor{} : reshapeOrNone(c, x, shape);
  return c.failed ? std::nullopt : std::optional(Value{gatherRows(c, flat, ids)});
}

std::optional<Value> lowerSameLengths(Context& c, const Application& a, const CoreOperator& core) {
  auto like = raggedDimension(c, argumentType(c, a, 0)), of = raggedDimension(c, argumentType(c, a, 1));
  auto inputs = like && of ? arguments(c, a) : std::nullopt;
  std::optional<Fact> result = inputs ? factOfType(c, a.type, a.span()) : std::nullopt;
  if (!result) return failRagged(c, a, core, "both tensors must be ragged");
  Tensor x = requireRaggedLengths(c, like->length).splits, y = requireRaggedLengths(c, of->length).splits;
  return toValue(
      emit(c, Op::require, {x, y, (*inputs)[1]}, RequireAttributes{Requirement::equalSplits}, std::move(*result)));
}

}  // namespace

std::span<const CoreOperator> raggedConversionOperators() {
  static constexpr CoreOperator rows[] = {
      {"to_dense", Op::none, lowerToDense, lowerToDense},
      {"to_ragged", Op::none, lowerToRagged, lowerToRagged},
      {"same_lengths", Op::none, lowerSameLengths, lowerSameLengths},
  };
  return rows;
}

}  // namespace axle::ir::lowering
