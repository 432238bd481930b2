#include "ir/lower/iteration.h"

#include <algorithm>

#include "ir/lower/facts.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/ragged.h"
#include "ir/lower/run_sizes.h"

namespace axle::ir::lowering {

std::optional<Iteration> iterationOver(Context& c, const Application& a, std::size_t from) {
  std::optional<std::vector<Tensor>> sequences = sequenceArguments(c, a, from);
  if (!sequences) return std::nullopt;
  Iteration iteration;
  iteration.sequences = std::move(*sequences);
  for (std::size_t i = 0; i < iteration.sequences.size(); ++i) {
    iteration.types.push_back(argumentType(c, a, from + i));
    bool ragged = raggedDimension(c, iteration.types.back()).has_value();
    iteration.count = ragged ? c.type(iteration.types.back()).shape[0].dim : fact(c, iteration.sequences[i]).shape[0];
    iteration.ragged = iteration.ragged || ragged;
  }
  for (std::size_t i = 0; i < iteration.sequences.size(); ++i)
    if (!raggedDimension(c, iteration.types[i])) iteration.fed.push_back(iteration.sequences[i]);
  if (iteration.ragged) iteration.fed.push_back(countUp(c, iteration.count));
  if (c.failed) return std::nullopt;
  for (const Tensor& sequence : iteration.fed) iteration.elements.push_back(withoutAxis(fact(c, sequence), 0));
  return iteration;
}

namespace {

// Slices element `index` of a ragged sequence. Goes through the ragged dimensions from the outermost inwards: the
// bounds of the element's segments give the bounds of its rows and the row splits of the element's own ragged
// dimensions.
std::optional<Tensor> raggedElement(Context& c, const Tensor& rows, TypeId whole, TypeId element, const Tensor& index,
                                    Span span) {
  DimStore& dims = c.dims();
  const Shape outer = c.type(whole).shape, inner = c.type(element).shape;
  if (inner.size() + 1 != outer.size()) return reportBug(c, "an element's rank differs", span);
  Dim zero = dims.constant(0), one = dims.constant(1), between = one, previous = one;
  std::optional<Tensor> rowEnds;
  for (std::size_t i = 1; i < outer.size(); ++i) {
    auto length = raggedLength(c.solution, outer[i].dim);
    if (!length) {
      between = dims.mul(between, outer[i].dim);
      continue;
    }
    const RaggedLengths ragged = requireRaggedLengths(c, *length);
    Tensor factor = sizeScalar(c, between);
    if (c.failed) return std::nullopt;
    Tensor segmentEnds;
    if (rowEnds) {
      segmentEnds = integerOp(c, Op::mul, *rowEnds, factor);
    } else {
      Tensor bounds = sizeVector(c, {zero, between});
      segmentEnds = integerOp(c, Op::add, integerOp(c, Op::mul, index, factor), bounds);
    }
    if (c.failed) return std::nullopt;
    rowEnds = gatherRows(c, ragged.splits, segmentEnds);
    if (c.failed) return std::nullopt;
    auto own = i == 1 ? dims.asVariable(inner[0].dim) : std::optional(newRunSize(c, dims.name(*length)));
    Tensor first = elementAt(c, *rowEnds, zero), last = c.failed ? Tensor{} : elementAt(c, *rowEnds, one);
    if (c.failed) return std::nullopt;
    if (own && !isRunSizeKnown(c, *own)) bindRunSize(c, *own, integerOp(c, Op::sub, last, first), ragged.rows);
    Dim size = own ? dims.variable(*own) : inner[0].dim;
    if (i > 1) {
      auto innerLength = raggedLength(c.solution, inner[i - 1].dim);
      if (!innerLength) return reportBug(c, "an element lacks a ragged length", span);
      Tensor ends = integerOp(c, Op::add, segmentEnds, sizeVector(c, {zero, one}));
      Dim count = dims.add(dims.mul(previous, between), one);
      auto part =
          c.failed ? std::nullopt : emit(c, Op::segment, {ragged.splits, ends}, {}, Fact{Elem::i64, {count}, {}});
      if (!part) return std::nullopt;
      c.raggedLengths[innerLength->index] = {c.scope, integerOp(c, Op::sub, *part, first), size};
    }
    previous = size;
    between = one;
  }
  std::optional<Fact> result = factOfType(c, element, span);
  if (!result || c.failed) return std::nullopt;
  return emit(c, Op::segment, {rows, *rowEnds}, {}, std::move(*result));
}

}  // namespace

std::optional<std::vector<Value>> iterationElements(Context& c, const Iteration& iteration,
                                                    const std::vector<Tensor>& fed, const Closure& f,
                                                    std::size_t firstParameter, Span span) {
  const TypedLambda& lambda = std::get<TypedLambda>(c.program[f.lambda].node);
  std::vector<Value> values;
  std::size_t next = 0;
  for (std::size_t i = 0; i < iteration.sequences.size(); ++i) {
    if (!raggedDimension(c, iteration.types[i])) {
      values.push_back({fed[next++]});
      continue;
    }
    TypeId element =
        c.solution.resolve(c.program[lambda.parameters[firstParameter + i]].type, f.environment.substitution);
    auto made = raggedElement(c, iteration.sequences[i], iteration.types[i], element, fed.back(), span);
    if (!made) return std::nullopt;
    values.push_back({*made});
  }
  return values;
}

namespace {

// Appends the types of the tensors of a value, in order.
void addTensorTypes(const Context& c, TypeId type, std::vector<TypeId>& into) {
  const TypeTerm& term = c.type(type);
  if (term.kind != TypeKind::tuple) return into.push_back(type);
  for (TypeId part : term.parts) addTensorTypes(c, part, into);
}

std::vector<TypeId> tensorTypes(const Context& c, TypeId type) {
  std::vector<TypeId> types;
  addTensorTypes(c, type, types);
  return types;
}

// In the body: reshapes results so that the ragged dimension and all dimensions before it become rows.
std::optional<Value> flattenRows(Context& c, const Value& value, const std::vector<TypeId>& elements,
                                 const std::vector<TypeId>& wholes, std::size_t& leaf) {
  if (const Tuple* parts = std::get_if<Tuple>(&value.node)) {
    std::vector<Value> all;
    for (const Value& part : **parts) {
      auto one = flattenRows(c, part, elements, wholes, leaf);
      if (!one) return std::nullopt;
      all.push_back(std::move(*one));
    }
    return tupleOf(std::move(all));
  }
  std::size_t at = leaf++;
  const Tensor* t = std::get_if<Tensor>(&value.node);
  if (!t || at >= wholes.size() || at >= elements.size()) return value;
  auto ragged = raggedDimension(c, wholes[at]);
  if (!ragged) return value;
  std::optional<Tensor> all = materialize(c, *t);
  if (!all) return std::nullopt;
  std::vector<Dim> shape = fact(c, *all).shape;
  std::size_t tail = c.type(wholes[at]).shape.size() - ragged->axis - 1;
  if (shape.size() < tail + 1) return reportBug(c, "a result's rank differs", c.program[c.entry.function].span);
  Dim rows = c.dims().constant(1);
  for (std::size_t i = 0; i < shape.size() - tail; ++i) rows = c.dims().mul(rows, shape[i]);
  shape.erase(shape.begin(), shape.end() - offset(tail));
  shape.insert(shape.begin(), rows);
  Tensor flat = reshapeOrNone(c, *all, std::move(shape));
  if (c.failed) return std::nullopt;
  return Value{flat};
}

// In the body: returns the `count` lengths along one dimension of a result. `inside` is the dimension if it is ragged
// in the body, too; otherwise all lengths are `size`.
std::optional<Tensor> lengthsAlong(Context& c, std::optional<DimVar> inside, Dim size, Dim count) {
  if (inside) {
    SegmentBounds bounds = segmentBounds(c, requireRaggedLengths(c, *inside));
    if (c.failed) return std::nullopt;
    return integerOp(c, Op::sub, bounds.end, bounds.begin);
  }
  Tensor one = sizeVector(c, {size});
  return c.failed ? std::nullopt : emit(c, Op::broadcast, {one}, {}, Fact{Elem::i64, {count}, {}});
}

// Appends the lengths that one tensor of a result adds, to `parts` and `added`.
bool appendTensorLengths(Context& c, TypeId elementType, TypeId wholeType, std::vector<Value>& parts,
                         std::vector<ResultLengths>& added) {
  const Shape inner = c.type(elementType).shape, outer = c.type(wholeType).shape;
  Dim count = c.dims().constant(1);
  for (std::size_t i = 1; i < outer.size() && i <= inner.size(); ++i) {
    auto length = outer[i].isVar ? std::nullopt : raggedLength(c.solution, outer[i].dim);
    auto inside = raggedLength(c.solution, inner[i - 1].dim);
    bool isNew = length && !findRaggedLengths(c, *length) &&
                 std::none_of(added.begin(), added.end(), [&](const ResultLengths& l) { return l.length == *length; });
    if (isNew) {
      auto lengths = lengthsAlong(c, inside, inner[i - 1].dim, count);
      if (!lengths || c.failed) return false;
      parts.push_back({*lengths});
    }
    Dim rows = inside ? requireRaggedLengths(c, *inside).rows : c.dims().mul(count, inner[i - 1].dim);
    if (isNew) added.push_back({*length, count, rows, {}});
    count = rows;
  }
  return true;
}

bool allSizesKnown(const Context& c, Dim dim) {
  for (DimVar v : c.dims().variables(dim))
    if (!c.symbols.count(v.index) && !isRunSizeKnown(c, v)) return false;
  return true;
}

}  // namespace

std::optional<Value> appendLengths(Context& c, Value result, TypeId elementType, TypeId wholeType,
                                   std::vector<ResultLengths>& added) {
  std::vector<TypeId> elements = tensorTypes(c, elementType), wholes = tensorTypes(c, wholeType);
  std::size_t first = 0;
  auto rows = flattenRows(c, result, elements, wholes, first);
  if (!rows) return std::nullopt;
  std::vector<Value> parts{std::move(*rows)};
  for (std::size_t i = 0; i < wholes.size() && i < elements.size(); ++i)
    if (!appendTensorLengths(c, elements[i], wholes[i], parts, added)) return std::nullopt;
  return tupleOf(std::move(parts));
}

std::optional<Collected> collectedOutputs(Context& c, const Body& body, std::size_t states, Dim count, TypeId wholeType,
                                          std::vector<ResultLengths>& added, Span span) {
  const std::vector<TypeId> wholes = tensorTypes(c, wholeType);
  DimStore& dims = c.dims();
  Collected collected;
  auto concatenated = [&](std::size_t output, DimVar size) {  // the `size` rows of all iterations
    const Graph& inner = c.graphOf(body.scope);
    Fact fact = inner[inner.outputs[output]].fact;
    if (declareRunSize(c, size, dims.mul(count, fact.shape[0])))
      collected.runSizes.emplace_back(static_cast<std::uint32_t>(output), size);
    fact.shape[0] = dims.variable(size);
    fact.value = {};
    return fact;
  };
  for (std::size_t i = 0; i < wholes.size(); ++i) {
    auto ragged = c.type(wholes[i]).kind == TypeKind::tensor ? raggedDimension(c, wholes[i]) : std::nullopt;
    auto lengths = std::find_if(added.begin(), added.end(),
                                [&](const ResultLengths& l) { return ragged && l.length == ragged->length; });
    if (lengths == added.end()) {
      if (!factsOf(c, wholes[i], collected.facts, span, "a result")) return std::nullopt;
      continue;
    }
    if (!lengths->rows) lengths->rows = newRunSize(c, dims.name(lengths->length));
    collected.facts.push_back(concatenated(states + i, *lengths->rows));
  }
  for (std::size_t i = 0; i < added.size(); ++i)
    if (allSizesKnown(c, added[i].count))
      collected.facts.push_back({Elem::i64, {count, added[i].count}, {}});
    else
      collected.facts.push_back(concatenated(states + wholes.size() + i, newRunSize(c, "places")));
  return collected;
}

bool registerLengths(Context& c, const std::vector<Tensor>& outputs, const std::vector<ResultLengths>& added,
                     Dim count) {
  DimStore& dims = c.dims();
  for (std::size_t i = 0; i < added.size() && !c.failed; ++i) {
    const Tensor& given = outputs[outputs.size() - added.size() + i];
    const std::vector<Dim> shape = fact(c, given).shape;
    Tensor splits =
        splitsFromLengths(c, shape.size() == 1 ? given : reshapeOrNone(c, given, {dims.mul(shape[0], shape[1])}));
    if (c.failed) return false;
    DimVar rows = added[i].rows ? *added[i].rows : newRunSize(c, dims.name(added[i].length));
    // No tensor has the lengths of an outer ragged dimension as its rows, so their sum is read from the row splits.
    if (!added[i].rows) {
      Dim last = dims.sub(fact(c, splits).shape[0], dims.constant(1));
      bindRunSize(c, rows, elementAt(c, splits, last), dims.mul(count, added[i].most));
    }
    c.raggedLengths[added[i].length.index] = {c.scope, splits, dims.variable(rows)};
  }
  return !c.failed;
}

}  // namespace axle::ir::lowering
