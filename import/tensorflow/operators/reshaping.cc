// Operators that change the shape of the elements.
#include <algorithm>

#include "import/tensorflow/operators/complex_numbers.h"
#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"
#include "import/tensorflow/problems.h"

namespace axle::tensorflow::reshaping {
namespace {

// Returns the size that -1 stands for: the product of the input's sizes divided by that of the others. A size on both
// sides cancels, even if it is 0. None if the quotient is not exact.
std::optional<Dim> remaining(RuleNode& n, Dims input, const Dims& others) {
  DimStore& dims = n.t.solution().dims;
  Dim total = n.t.constant(1), given = n.t.constant(1);
  for (Dim d : others) {
    auto same = std::find(input.begin(), input.end(), d);
    if (same != input.end())
      input.erase(same);
    else
      given = dims.mul(given, d);
  }
  if (std::find(others.begin(), others.end(), n.t.constant(0)) != others.end()) std::erase(input, n.t.constant(0));
  for (Dim d : input) total = dims.mul(total, d);
  auto divisor = dims.asConstant(given);
  if (divisor == 1) return total;
  if (divisor == 0) return std::nullopt;
  Dim quotient = dims.div(total, given);
  return dims.mul(quotient, given) == total ? std::optional(quotient) : std::nullopt;
}

constexpr Message<arg::Name, arg::Number> shapeIsNoVector{
    codes::nodeMisfit, "{} takes a shape as a vector, but gets one of rank {}", "this shape"};

constexpr Message<arg::Name, arg::Number> negativeSize{codes::nodeMisfit, "{} to a size of {}",
                                                       "a size is >= 0, or -1 for the rest"};

constexpr Message<arg::Name, arg::Number, arg::Number> twoOpenSizes{
    codes::nodeMisfit, "{} has -1 for axis {} and for axis {}", "only one size can be -1, the rest"};

Outcome reshapeType(RuleNode& n, std::string_view) {
  auto value = n.known(1);
  auto sizes = n.sizes(1);
  auto input = n.dims(0);
  if (auto rank = n.rank(1); rank && *rank > 1) return n.fail(shapeIsNoVector, n.opName(), arg::Number{*rank});
  if (!sizes) return Outcome::waits;
  constexpr std::size_t none = SIZE_MAX;
  std::size_t hole = none;
  bool open = !value;
  for (std::size_t i = 0; value && i < value->elements.size(); ++i) {
    auto size = n.t.solution().dims.asConstant(value->elements[i]);
    if (size && *size < -1) return n.fail(negativeSize, n.opName(), arg::Number{*size});
    if (size == -1 && hole != none) return n.fail(twoOpenSizes, n.opName(), arg::Number{hole}, arg::Number{i});
    if (size == -1)
      hole = i;
    else
      open |= !isSize(n, value->elements[i]);
  }
  if (hole != none && open) (*sizes)[hole] = n.t.unknownSize("d");
  if (open) return giveDims(n, *sizes);
  if (hole != none && input) {
    Dims others = *sizes;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(hole));
    if (auto rest = remaining(n, *input, others)) {
      (*sizes)[hole] = *rest;
      hole = none;
    }
  }
  std::vector<StaticId> items;
  for (std::size_t i = 0; i < sizes->size(); ++i) items.push_back(hole == i ? n.t.hole() : n.t.integer((*sizes)[i]));
  return n.give(n.op("reshape", {n.in(0)}, {{"dims", n.t.list(std::move(items))}}));
}

Outcome quantizedReshapeType(RuleNode& n, std::string_view core) {
  Outcome outcome = reshapeType(n, core);
  for (std::size_t port = 1; port < 3 && !n.results.empty(); ++port) n.giveShape({}, port);
  return outcome;
}

Outcome expandDimsType(RuleNode& n, std::string_view) {
  auto axis = n.number(1);
  if (axis) return n.give(n.op("expand", {n.in(0)}, {{"axis", n.t.integer(*axis)}}));
  auto rank = n.rank(0);
  return rank ? giveUnknownSizes(n, *rank + 1) : Outcome::waits;
}

constexpr Message<arg::Number, arg::Number> squeezedAxisIsLarge{
    codes::nodeMisfit, "`Squeeze` removes axis {}, whose size is {} and not one", "axis {} has {} elements"};

// Without a list of axes, removes every axis of size 1, so all sizes must be known.
Outcome squeezeType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  std::vector<std::int64_t> axes;
  for (std::int64_t axis : n.integers("squeeze_dims")) {
    auto at = axisWithin(n, axis, dims->size());
    if (!at) return Outcome::failed;
    axes.push_back(static_cast<std::int64_t>(*at));
  }
  if (axes.empty())
    for (std::size_t i = 0; i < dims->size(); ++i) {
      auto size = n.t.solution().dims.asConstant((*dims)[i]);
      if (!size) return Outcome::waits;
      if (size == 1) axes.push_back(static_cast<std::int64_t>(i));
    }
  std::sort(axes.begin(), axes.end(), std::greater<>());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  for (std::int64_t axis : axes)
    if (auto size = n.t.solution().dims.asConstant((*dims)[static_cast<std::size_t>(axis)]); size && size != 1)
      return n.fail(squeezedAxisIsLarge, arg::Number{axis}, arg::Number{*size});
  std::optional<TypedId> value = n.in(0);
  for (std::int64_t axis : axes)
    if (value) value = n.op("squeeze", {*value}, {{"axis", n.t.integer(axis)}});
  return n.give(value);
}

Outcome broadcastToType(RuleNode& n, std::string_view) {
  auto value = n.known(1);
  auto sizes = n.sizes(1);
  if (!sizes) return Outcome::waits;
  bool closed = value && std::all_of(value->elements.begin(), value->elements.end(),
                                     [&](Dim d) { return n.t.solution().dims.asConstant(d) != -1 && isSize(n, d); });
  if (!closed) {
    // A size that is known not to be 1 does not broadcast.
    auto dims = n.dims(0);
    for (std::size_t i = 1; dims && i <= std::min(dims->size(), sizes->size()); ++i) {
      Dim d = (*dims)[dims->size() - i];
      auto size = n.t.solution().dims.asConstant(d);
      if (size && *size != 1) (*sizes)[sizes->size() - i] = d;
    }
    return giveDims(n, *sizes);
  }
  return n.give(n.op("broadcast_to", {n.in(0)}, {{"dims", n.t.list(*sizes)}}));
}

// The run checks the shape.
Outcome ensureShapeType(RuleNode& n, std::string_view) {
  const PartialShape* shape = n.shape("shape");
  if (!shape || !shape->knownRank) return n.give(n.in(0));
  Dims sizes;
  for (std::int64_t size : shape->sizes) sizes.push_back(size < 0 ? n.t.unknownSize("d") : n.t.constant(size));
  TypeId asserted = tensorType(n.t, n.fact(0).type, n.t.shape(sizes), n.places.op);
  if (!n.requireInput(0, asserted)) return Outcome::failed;
  return n.give(n.in(0));
}

constexpr Message<> widerScalar{
    codes::nodeMisfit, "`Bitcast` makes wider elements of several, but its tensor is a scalar", "of one element"};

// A change of the element's width adds or removes a last axis.
Outcome bitcastType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  auto to = n.type("type"), given = n.type("T");
  if (!dims || !to || !given) return Outcome::waits;
  auto from = static_cast<std::int64_t>(info(*given).bytes), width = static_cast<std::int64_t>(info(*to).bytes);
  if (from == 0 || width == 0) return Outcome::unknown;
  if (from > width) dims->push_back(n.t.constant(from / width));
  if (from < width) {
    if (dims->empty()) return n.fail(widerScalar);
    if (!n.equate(dims->back(), n.t.constant(width / from))) return Outcome::failed;
    dims->pop_back();
  }
  return giveDims(n, *dims);
}

// ---- values

std::optional<Known> reshapeValue(const RuleNode& n) {
  auto a = n.known(0);
  auto shape = n.numbers(1);
  if (!a || !shape) return std::nullopt;
  Sizes given = *shape, had = a->shape;
  std::erase(given, -1);
  // Zeros on both sides cancel in an inferred size.
  if (std::erase(given, 0) > 0) std::erase(had, 0);
  for (std::int64_t& size : *shape)
    if (size == -1) size = countOf(had) / countOf(given);
  if (countOf(*shape) != a->count()) return std::nullopt;
  a->shape = *shape;
  return a;
}

std::optional<Known> expandDimsValue(const RuleNode& n) {
  auto a = n.known(0);
  auto axis = n.number(1);
  if (!a || !axis) return std::nullopt;
  std::int64_t rank = static_cast<std::int64_t>(a->shape.size());
  if (*axis < 0) *axis += rank + 1;
  if (*axis < 0 || *axis > rank) return std::nullopt;
  a->shape.insert(a->shape.begin() + *axis, 1);
  return a;
}

std::optional<Known> squeezeValue(const RuleNode& n) {
  auto a = n.known(0);
  if (!a) return std::nullopt;
  if (n.integers("squeeze_dims").empty())
    std::erase(a->shape, 1);
  else if (a->count() == 1 && a->shape.size() == n.integers("squeeze_dims").size())
    a->shape.clear();
  else
    return std::nullopt;
  return a;
}

// ---- formulas

Elem unsignedOf(std::size_t bytes) {
  return bytes == 1 ? Elem::u8 : bytes == 2 ? Elem::u16 : bytes == 4 ? Elem::u32 : Elem::u64;
}

// Reinterprets little-endian bytes. The parts of complex numbers are elements.
FormulaResults bitcastFormula(NodeFormula& f) {
  auto to = f.n.type("type");
  if (!to || !info(*to).element) return {};
  Expr value = f.in(0);
  const std::size_t from = info(f.elem(value)).bytes, width = info(*to).bytes;
  if (from == 0 || width == 0 || isComplex(f.n.fact(0).type) || isComplex(*to)) return {};
  Elem wanted = f.elemOf(*to);
  if (from == width) return {f.bitcast(value, wanted)};
  const std::size_t parts = std::max(from, width) / std::min(from, width), bits = 8 * std::min(from, width);
  Elem whole = unsignedOf(std::max(from, width)), part = unsignedOf(std::min(from, width));
  auto shift = [&](std::size_t i) { return f.number(static_cast<double>(i * bits), whole); };
  if (from > width) {
    Expr all = f.bitcast(value, whole), mask = f.number(static_cast<double>((std::uint64_t{1} << bits) - 1), whole);
    std::vector<Expr> pieces;
    for (std::size_t i = 0; i < parts; ++i)
      pieces.push_back(f.cast(apply("bit_and", apply("shift_right", all, shift(i)), mask), part));
    return {f.bitcast(f.stack(pieces, -1), wanted)};
  }
  Expr pieces = f.cast(f.bitcast(value, part), whole), all;
  for (std::size_t i = 0; i < parts; ++i) {
    Expr piece = apply("shift_left", f.at(pieces, -1, static_cast<std::int64_t>(i)), shift(i));
    all = i ? apply("bit_or", all, piece) : piece;
  }
  return {f.bitcast(all, wanted)};
}

FormulaResults broadcastToFormula(NodeFormula& f) {
  auto made = f.sizesBy(0, 1);
  if (!made) return {};
  return {f.stretched(f.in(0), *made)};
}

// Reshapes to sizes that the run computes; one may be -1. A shape that does not match the number of elements stops the
// run.
FormulaResults reshapeFormula(NodeFormula& f) {
  auto sizes = f.dims(std::size_t{0}), made = f.outletDims(0), given = f.dims(1);
  if (!sizes || !made || !given || given->size() != 1) return {};
  Dim all = f.productOf(*sizes);
  Expr total = f.numberOf(all), shape = f.cast(f.in(1), Elem::i64);
  Expr others = f.reduce("prod", choose(shape < 0.0, 1, shape), {0});
  Expr rest = apply("floor_div", total, apply("maximum", others, f.like(1, others)));
  shape = choose(shape < 0.0, rest, shape);
  std::size_t open = 0;
  for (Dim d : *made) open += f.isOpen(d);
  for (std::size_t i = 0; i < made->size(); ++i) {
    if (!f.isOpen((*made)[i])) continue;
    auto size = f.found(f.at(shape, 0, static_cast<std::int64_t>(i)),
                        open == 1 ? f.plus(all, f.dim(1)) : f.dim(NodeFormula::mostFound(open)));
    if (!size) return {};
    (*made)[i] = *size;
  }
  Dim count = f.productOf(*made);
  constexpr double nowhere = 1e15;
  Expr places = f.countTo(count) + choose(f.numberOf(count) == total, 0, f.number(nowhere, Elem::i64));
  return {f.shaped(f.gather(f.shaped(f.in(0), {all}), places, 0), *made)};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name               type              value             formula
    {"Reshape",           reshapeType,      reshapeValue,     {byPartsFormula, reshapeFormula}},
    {"ExpandDims",        expandDimsType,   expandDimsValue,  byPartsFormula},
    {"Squeeze",           squeezeType,      squeezeValue,     byPartsFormula},
    {"BroadcastTo",       broadcastToType,  {},               {byPartsFormula, broadcastToFormula}},
    {"EnsureShape",       ensureShapeType,  firstInputValue},
    {"Bitcast",           bitcastType,      {},               bitcastFormula},
    {"QuantizedReshape",  quantizedReshapeType},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::reshaping
