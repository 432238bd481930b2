// Lowers operators on ragged tensors. Elementwise operators work on the rows directly; reductions, products and
// concatenations along the ragged dimension are composed of ordinary operators on rows and row splits.
#include "ir/lower/bodies.h"
#include "ir/lower/expressions.h"
#include "ir/lower/facts.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/pointwise.h"
#include "ir/lower/ragged.h"
#include "ir/lower/reductions.h"
#include "ir/lower/run_sizes.h"
#include "ir/lower/structure.h"

namespace axle::ir::lowering {

std::optional<Value> lowerRaggedPointwise(Context& c, const Application& a, const CoreOperator& core) {
  auto result = raggedDimension(c, a.type);
  if (!result) return failRagged(c, a, core, "its result is not ragged");
  std::vector<Tensor> operands;
  for (std::size_t i = 0; i < a.apply->arguments.size(); ++i) {
    auto value = eval(c, a.apply->arguments[i], a.environment);
    const Tensor* t = value ? std::get_if<Tensor>(&value->node) : nullptr;
    if (!t) return std::nullopt;
    auto operand = t->splat ? *t : spreadOverRows(c, *t, argumentType(c, a, i), a.type, *result);
    if (!operand) return failRagged(c, a, core, "an operand also broadcasts along a dimension before the ragged one");
    operands.push_back(*operand);
  }
  return emitPointwise(c, a, core, std::move(operands));
}

std::optional<Value> lowerRaggedReshape(Context& c, const Application& a, const CoreOperator& core) {
  auto from = raggedDimension(c, argumentType(c, a, 0)), to = raggedDimension(c, a.type);
  if (!from || !to || from->length != to->length || from->axis != to->axis)
    return failRagged(c, a, core, "only dimensions behind the ragged one may change");
  return lowerReshape(c, a, core);
}

namespace {

// Folds all segments in one loop as long as the longest segment, since the function combines one element of every
// segment at a time. Segments that have ended keep their value.
std::optional<Tensor> foldSegments(Context& c, const Closure& combine, const Tensor& start, const Tensor& rows,
                                   const RaggedLengths& lengths, const Fact& slice, Span span) {
  DimStore& dims = c.dims();
  const Dim one = dims.constant(1), segments = segmentCount(c, lengths);
  const SegmentBounds bounds = segmentBounds(c, lengths);
  const Tensor length = integerOp(c, Op::sub, bounds.end, bounds.begin);
  const DimVar count = newRunSize(c, "longest");
  bindLongest(c, count, length, lengths);
  Tensor steps = c.failed ? Tensor{} : countUp(c, dims.variable(count));
  if (c.failed) return std::nullopt;
  const Fact state{slice.elem, slice.shape, {}};
  const std::vector<Dim> flat = fact(c, start).shape;
  const Tensor first = reshapeOrNone(c, start, slice.shape);
  auto oneStep = [&](const std::vector<Tensor>& fed) -> std::optional<Value> {
    Tensor last = sizeScalar(c, dims.sub(lengths.rows, one));
    Tensor row = c.failed ? Tensor{} : integerOp(c, Op::minimum, integerOp(c, Op::add, bounds.begin, fed[1]), last);
    Tensor element = c.failed ? Tensor{} : reshapeOrNone(c, gatherRows(c, rows, row), slice.shape);
    if (c.failed) return std::nullopt;
    auto next = inlineCall(c, combine, {{fed[0]}, {element}}, span);
    const Tensor* combined = next ? std::get_if<Tensor>(&next->node) : nullptr;
    auto all = combined ? materialize(c, *combined) : std::nullopt;
    auto goesOn = all ? emit(c, Op::less, {fed[1], length}, {}, Fact{Elem::boolean, {segments}, {}}) : std::nullopt;
    if (!goesOn) return std::nullopt;
    std::vector<Dim> column = flat;
    for (std::size_t i = 1; i < column.size(); ++i) column[i] = one;
    Tensor mask = reshapeOrNone(c, *goesOn, column), fresh = reshapeOrNone(c, *all, flat),
           old = reshapeOrNone(c, fed[0], flat);
    auto kept = c.failed ? std::nullopt : emit(c, Op::select, {mask, fresh, old}, {}, Fact{slice.elem, flat, {}});
    return kept ? toValue(reshapeOrNone(c, *kept, slice.shape)) : std::nullopt;
  };
  auto body = c.failed ? std::nullopt
                       : buildBody(c, {state, Fact{Elem::i64, {}, {}}}, span, "what a `reduce` combines", oneStep);
  if (!body) return std::nullopt;
  auto outputs = emitWithBodies(c, Op::loop, LoopAttributes{1, 1}, {first, steps}, {&*body}, {state});
  if (!outputs) return std::nullopt;
  return outputs->front();
}

}  // namespace

std::optional<Value> lowerRaggedReduce(Context& c, const Application& a, const CoreOperator& core) {
  TypeId type = argumentType(c, a, 2);
  auto ragged = raggedDimension(c, type);
  if (!ragged) return failRagged(c, a, core, "its operand is not ragged");
  auto axis = axisAttribute(c, a, c.type(type).shape.size());
  if (!axis) return std::nullopt;
  if (*axis > ragged->axis) return reduceAlong(c, a, *axis - ragged->axis);
  if (*axis < ragged->axis) return failRagged(c, a, core, "it reduces a dimension before the ragged one");
  std::optional<Closure> combine = functionArgument(c, a, 0);
  std::optional<Value> start = combine ? eval(c, a.apply->arguments[1], a.environment) : std::nullopt;
  std::optional<std::vector<Tensor>> sequence = start ? sequenceArguments(c, a, 2) : std::nullopt;
  std::optional<Fact> result = sequence ? factOfType(c, a.type, a.span()) : std::nullopt;
  const Tensor* init = result ? std::get_if<Tensor>(&start->node) : nullptr;
  if (!init) return std::nullopt;
  const RaggedLengths lengths = requireRaggedLengths(c, ragged->length);
  std::vector<Dim> shape = dimsAfter(c, type, *ragged);
  shape.insert(shape.begin(), segmentCount(c, lengths));
  Tensor begin = *init;
  begin.splat = begin.splat || fact(c, begin).shape.empty() ? std::optional(shape) : std::nullopt;
  std::optional<Tensor> base = materialize(c, begin);
  if (!base) return std::nullopt;
  Tensor first = reshapeOrNone(c, *base, shape);
  if (c.failed) return std::nullopt;
  std::optional<Op> direct = reductionOf(c, *combine);
  TypeId sliceType = c.solution.resolve(c.program[combine->lambda].type, combine->environment.substitution);
  std::optional<Fact> slice = factOfType(c, c.type(sliceType).result, a.span());
  if (!slice) return std::nullopt;
  if (fact(c, first).elem == Elem::boolean) direct.reset();
  auto reduced = direct ? reduceSegments(c, *direct, first, sequence->front(), segmentIds(c, lengths))
                        : foldSegments(c, *combine, first, sequence->front(), lengths, *slice, a.span());
  if (!reduced) return std::nullopt;
  return Value{reshapeOrNone(c, *reduced, result->shape)};
}

std::optional<Value> lowerRaggedMatmul(Context& c, const Application& a, const CoreOperator& core) {
  auto left = raggedDimension(c, argumentType(c, a, 0)), right = raggedDimension(c, argumentType(c, a, 1));
  std::size_t rank = c.type(a.type).shape.size();
  if (left && right && left->axis + 2 < rank && right->axis + 2 < rank) return lowerDirect(c, a, core);
  if (!left || right || left->axis + 2 != rank) return failRagged(c, a, core, "its trailing dimension is ragged");
  // A `map` over segments multiplies the rows of each segment by the segment's matrix.
  auto given = operands(c, a);
  if (!given) return std::nullopt;
  DimStore& dims = c.dims();
  const Dim zero = dims.constant(0), one = dims.constant(1);
  const RaggedLengths lengths = requireRaggedLengths(c, left->length);
  const Tensor x = given->inputs[0];
  const std::vector<Dim> rightShape = fact(c, given->inputs[1]).shape;
  const std::vector<Dim> matrix(rightShape.end() - 2, rightShape.end());
  Tensor y = reshapeOrNone(c, given->inputs[1], {segmentCount(c, lengths), matrix[0], matrix[1]});
  Tensor index = c.failed ? Tensor{} : countUp(c, segmentCount(c, lengths));
  if (c.failed) return std::nullopt;
  const Elem elem = fact(c, y).elem;
  auto product = [&](const std::vector<Tensor>& fed) -> std::optional<Value> {
    Tensor offsets = sizeVector(c, {zero, one});
    Tensor bounds = gatherRows(c, lengths.splits, integerOp(c, Op::add, fed[1], offsets));
    if (c.failed) return std::nullopt;
    Tensor begin = elementAt(c, bounds, zero), end = elementAt(c, bounds, one);
    DimVar count = newRunSize(c, "rows");
    bindRunSize(c, count, integerOp(c, Op::sub, end, begin), lengths.rows);
    Dim rows = dims.variable(count);
    auto part = c.failed ? std::nullopt : emit(c, Op::segment, {x, bounds}, {}, Fact{elem, {rows, matrix[0]}, {}});
    if (!part) return std::nullopt;
    return toValue(emit(c, Op::matmul, {*part, fed[0]}, {}, Fact{elem, {rows, matrix[1]}, {}}));
  };
  auto body = buildBody(c, {Fact{elem, matrix, {}}, Fact{Elem::i64, {}, {}}}, a.span(), "a product", product);
  if (!body) return std::nullopt;
  auto outputs = emitWithBodies(c, Op::map, MapAttributes{2}, {y, index}, {&*body}, {given->result});
  if (!outputs) return std::nullopt;
  return Value{outputs->front()};
}

std::optional<Value> lowerRaggedConcat(Context& c, const Application& a, const CoreOperator& core) {
  auto result = raggedDimension(c, a.type);
  auto axis = result ? axisAttribute(c, a, c.type(a.type).shape.size()) : std::nullopt;
  if (!axis || *axis < result->axis) return failRagged(c, a, core, "along a dimension before the ragged one");
  auto inputs = arguments(c, a);
  if (!inputs) return std::nullopt;
  DimStore& dims = c.dims();
  Dim zero = dims.constant(0);
  if (*axis > result->axis) {
    std::optional<Fact> joined = factOfType(c, a.type, a.span());
    if (!joined) return std::nullopt;
    return toValue(emit(c, Op::concat, *inputs, AxisAttributes{*axis - result->axis}, std::move(*joined)));
  }
  // Sorts the rows of all operands by segment and adds up the row splits.
  std::vector<Tensor> ids;
  std::optional<Tensor> splits;
  Dim rows = zero;
  for (std::size_t i = 0; i < inputs->size(); ++i) {
    auto part = raggedDimension(c, argumentType(c, a, i));
    if (!part || part->axis != result->axis)
      return failRagged(c, a, core, "an operand is not ragged in the same dimension");
    const RaggedLengths lengths = requireRaggedLengths(c, part->length);
    ids.push_back(segmentIds(c, lengths));
    if (c.failed) return std::nullopt;
    splits = splits ? integerOp(c, Op::add, *splits, lengths.splits) : lengths.splits;
    rows = dims.add(rows, lengths.rows);
  }
  std::vector<Dim> shape = fact(c, inputs->front()).shape;
  shape[0] = rows;
  auto all = emit(c, Op::concat, *inputs, AxisAttributes{0}, Fact{fact(c, inputs->front()).elem, shape, {}});
  auto segments = all ? emit(c, Op::concat, ids, AxisAttributes{0}, Fact{Elem::i64, {rows}, {}}) : std::nullopt;
  auto order =
      segments ? emit(c, Op::argsort, {*segments}, OrderAttributes{0}, Fact{Elem::i64, {rows}, {}}) : std::nullopt;
  if (!order) return std::nullopt;
  c.raggedLengths[result->length.index] = {c.scope, *splits, rows};
  return Value{gatherRows(c, *all, *order)};
}

}  // namespace axle::ir::lowering
