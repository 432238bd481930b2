// Operators that create tensors from shapes, sizes and numbers.
#include <algorithm>
#include <cmath>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"
#include "import/tensorflow/problems.h"

namespace axle::tensorflow::creating {

// ---- shapes as tensors

namespace {

Outcome shapeType(RuleNode& n, std::string_view core) {
  // A later node may determine the rank.
  if (!n.rank(0)) {
    giveDims(n, core == "shape" ? Dims{n.t.unknownSize("r")} : Dims{});
    return Outcome::waits;
  }
  auto made = n.op(core, {n.in(0)});
  if (!made || n.type("out_type") == Type::i64) return n.give(made);
  return n.give(castTo(n, *made, Elem::i32));
}

Outcome rankType(RuleNode& n, std::string_view) { return giveDims(n, {}); }

Outcome shapeNType(RuleNode& n, std::string_view) {
  bool open = false;
  for (std::size_t i = 0; i < n.count(); ++i) {
    auto rank = n.rank(i);
    open |= !rank;
    Dim length = rank ? n.t.constant(static_cast<std::int64_t>(*rank)) : n.t.unknownSize("r");
    if (Outcome made = giveDims(n, {length}, i); made != Outcome::done) return made;
  }
  return open ? Outcome::waits : Outcome::done;
}

Outcome broadcastArgsType(RuleNode& n, std::string_view) {
  auto a = n.dims(0), b = n.dims(1);
  if (!a || !b || a->size() != 1 || b->size() != 1) {
    giveDims(n, {n.t.unknownSize("r")});
    return Outcome::waits;
  }
  return giveDims(n, {larger(n, a->front(), b->front())});
}

// Gives two vectors, each with its own length, which the run determines.
Outcome foundVectorsType(RuleNode& n, std::string_view) {
  giveDims(n, {n.t.unknownSize("k")}, 0);
  return giveDims(n, {n.t.unknownSize("k")}, 1);
}

// ---- from given sizes

Outcome fillType(RuleNode& n, std::string_view) {
  auto value = n.known(0);
  auto sizes = n.sizes(0);
  if (!sizes) return Outcome::waits;
  bool closed =
      value && std::all_of(value->elements.begin(), value->elements.end(), [&](Dim d) { return isSize(n, d); });
  if (!closed) return giveDims(n, *sizes);
  return n.give(n.op("full", {n.in(1)}, {{"dims", n.t.list(*sizes)}}));
}

Outcome emptyType(RuleNode& n, std::string_view) { return giveSizesOf(n, 0); }

Outcome realRange(RuleNode& n) {
  auto start = n.real(0), limit = n.real(1), step = n.real(2);
  if (!start || !limit || !step || *step == 0) return giveDims(n, {n.t.unknownSize("k")});
  double steps = (*limit - *start) / *step;
  // TensorFlow counts the steps in the element's own precision.
  if (n.fact(0).type == Type::f32) steps = static_cast<float>(*limit - *start) / static_cast<float>(*step);
  double count = std::ceil(std::abs(steps));
  if (!(count < 1e15)) return giveDims(n, {n.t.unknownSize("k")});
  return giveDims(n, {n.t.constant(static_cast<std::int64_t>(count))});
}

constexpr Message<> stepZero{codes::nodeMisfit, "`Range` has step 0", "this range never ends"};

Outcome rangeType(RuleNode& n, std::string_view) {
  auto elem = elementOf(n.fact(0).type);
  if (elem && axle::info(*elem).isFloat) return realRange(n);
  auto start = n.known(0), limit = n.known(1);
  auto step = n.number(2);
  auto isOpen = [&](const std::optional<Known>& k) { return !k || k->count() != 1 || !isSize(n, k->elements[0]); };
  if (isOpen(start) || isOpen(limit) || !step) return giveDims(n, {n.t.unknownSize("k")});
  Dim from = start->elements[0], to = limit->elements[0];
  if (*step == 0) return n.fail(stepZero);
  if (*step < 0) {
    std::swap(from, to);
    DimStore& dims = n.t.solution().dims;
    return giveDims(n, {dims.ceildiv(dims.sub(to, from), n.t.constant(-*step))});
  }
  auto made =
      n.op("arange", {}, {{"start", n.t.integer(from)}, {"stop", n.t.integer(to)}, {"step", n.t.integer(*step)}});
  return n.give(made && elem ? castTo(n, *made, *elem) : made);
}

Outcome linSpaceType(RuleNode& n, std::string_view) {
  auto count = n.number(2);
  if (count && *count >= 1) return n.give(n.op("linspace", {n.in(0), n.in(1)}, {{"count", n.t.integer(*count)}}));
  auto sizes = n.sizes(2);
  return giveDims(n, {sizes && sizes->size() == 1 ? sizes->front() : n.t.unknownSize("k")});
}

// Selects between the two given values by a one-hot of booleans, which the core operator computes.
Outcome oneHotType(RuleNode& n, std::string_view) {
  auto depth = n.sizes(1);
  Dim size = depth && depth->size() == 1 ? depth->front() : n.t.unknownSize("k");
  auto places =
      n.op("one_hot", {n.in(0)}, {{"depth", n.t.integer(size)}, {"axis", n.t.integer(n.integer("axis", -1))}});
  if (!places) return Outcome::failed;
  TypeId truth = n.t.tensor(ElemTerm::of(Elem::boolean), n.t.unknownShape("s"), n.places.op);
  if (!n.equate(n.t.typeOf(*places), truth)) return Outcome::failed;
  for (std::size_t i : {2, 3})
    if (!requireShape(n, i, {}, n.places.inputs[i])) return Outcome::failed;
  return n.give(n.op("select", {*places, n.in(2), n.in(3)}));
}

// ---- values

std::optional<Known> shapeValue(const RuleNode& n) {
  auto dims = n.dims(0);
  return dims ? std::optional(Known::vector(*dims)) : std::nullopt;
}

std::optional<Known> sizeValue(const RuleNode& n) {
  auto dims = n.dims(0);
  if (!dims) return std::nullopt;
  Dim size = n.t.constant(1);
  for (Dim d : *dims) size = n.t.solution().dims.mul(size, d);
  return Known::scalar(size);
}

std::optional<Known> rankValue(const RuleNode& n) {
  auto rank = n.rank(0);
  return rank ? std::optional(Known::scalar(n.t.constant(static_cast<std::int64_t>(*rank)))) : std::nullopt;
}

KnownValues shapeNValue(const RuleNode& n) {
  KnownValues parts;
  for (std::size_t i = 0; i < n.count(); ++i) {
    auto dims = n.dims(i);
    parts.push_back(dims ? std::optional(Known::vector(*dims)) : std::nullopt);
  }
  return parts;
}

// Returns the broadcast of two shapes, if it follows from their sizes alone.
std::optional<Known> broadcastArgsValue(const RuleNode& n) {
  auto a = n.known(0), b = n.known(1);
  if (!a || !b) return std::nullopt;
  if (a->count() < b->count()) std::swap(a, b);
  Dim one = n.t.constant(1);
  std::size_t missing = a->elements.size() - b->elements.size();
  for (std::size_t i = 0; i < b->elements.size(); ++i) {
    Dim& x = a->elements[missing + i];
    Dim y = b->elements[i];
    if (x == y || y == one) continue;
    if (x != one) return std::nullopt;
    x = y;
  }
  return a;
}

std::optional<Known> rangeValue(const RuleNode& n) {
  auto start = n.number(0), limit = n.number(1), delta = n.number(2);
  if (!start || !limit || !delta || *delta == 0) return std::nullopt;
  Known out{{0}, {}};
  for (std::int64_t k = *start; *delta > 0 ? k < *limit : k > *limit; k += *delta) {
    if (out.count() >= mostKnown) return std::nullopt;
    out.elements.push_back(n.t.constant(k));
  }
  out.shape[0] = out.count();
  return out;
}

std::optional<Known> fillValue(const RuleNode& n) {
  auto shape = n.numbers(0);
  auto value = n.known(1);
  if (!shape || !value || value->count() != 1) return std::nullopt;
  for (std::int64_t size : *shape)
    if (size < 0 || size > mostKnown) return std::nullopt;
  if (countOf(*shape) > mostKnown) return std::nullopt;
  return Known{*shape, std::vector<Dim>(static_cast<std::size_t>(countOf(*shape)), value->elements[0])};
}

// ---- formulas

// Computes the start plus multiples of the step, up or down, for integers and reals.
FormulaResults rangeFormula(NodeFormula& f) {
  auto made = f.outletDims(0);
  if (!made || made->size() != 1) return {};
  Expr start = f.in(0), step = f.in(2), places;
  if (f.isOpen(made->front()))
    places = f.op("arange_to", {stepCount(start, f.in(1), step)}, {{"most", f.n.t.integer(NodeFormula::mostFound(1))}});
  else
    places = f.countTo(made->front());
  return {start + f.cast(places, f.elem(start)) * step};
}

FormulaResults fillFormula(NodeFormula& f) {
  auto made = f.sizesBy(0, 0);
  if (!made) return {};
  return {f.filled(*made, f.in(1))};
}

// Returns a shape that the analysis knows as a tensor.
FormulaResults broadcastArgsFormula(NodeFormula& f) {
  const std::optional<Known> shape = f.outletKnown(0);
  if (!shape || shape->elements.empty()) return {};
  std::vector<Expr> sizes;
  for (Dim size : shape->elements) sizes.push_back(f.cast(f.numberOf(size), f.elem(f.in(0))));
  return {f.stack(sizes, 0)};
}

FormulaResults rankFormula(NodeFormula& f) {
  auto sizes = f.n.rank(0);
  if (!sizes) return {};
  return {f.integers(Elem::i32, {}, {static_cast<std::int64_t>(*sizes)})};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                    type                   value                formula
    {"Shape",                  {shapeType, "shape"},  shapeValue},
    {"Size",                   {shapeType, "size"},   sizeValue},
    {"Rank",                   rankType,              rankValue,           rankFormula},
    {"ShapeN",                 shapeNType,            shapeNValue},
    {"BroadcastArgs",          broadcastArgsType,     broadcastArgsValue,  broadcastArgsFormula},
    {"BroadcastGradientArgs",  foundVectorsType},
    {"Fill",                   fillType,              fillValue,           fillFormula},
    {"Empty",                  emptyType},
    {"Range",                  rangeType,             rangeValue,          rangeFormula},
    {"LinSpace",               linSpaceType},
    {"OneHot",                 oneHotType},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::creating
