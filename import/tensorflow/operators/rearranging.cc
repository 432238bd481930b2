// Operators that reorder, repeat or pad the elements.
#include <algorithm>

#include "import/tensorflow/operators/complex_numbers.h"
#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"
#include "import/tensorflow/problems.h"

namespace axle::tensorflow::rearranging {

// ---- other orders

namespace {

constexpr Message<arg::Name, arg::Number, arg::Number> orderOfOtherRank{
    codes::nodeMisfit, "{} orders {} axes, but its tensor has rank {}", "the order and the tensor meet here"};

Outcome transposeType(RuleNode& n, std::string_view) {
  auto perm = n.numbers(1);
  auto rank = n.rank(0);
  if (!perm) return rank ? giveUnknownSizes(n, *rank) : Outcome::waits;
  if (rank && *rank != perm->size())
    return n.fail(orderOfOtherRank, n.opName(), arg::Number{perm->size()}, arg::Number{*rank});
  for (std::int64_t& axis : *perm)
    if (axis < 0) axis += static_cast<std::int64_t>(perm->size());
  return n.give(n.op("transpose", {n.in(0)}, {{"perm", n.t.list(*perm)}}));
}

constexpr Message<arg::Name, arg::Number> axisNamedTwice{codes::nodeMisfit, "{} names axis {} twice", "these axes"};

Outcome reverseType(RuleNode& n, std::string_view) {
  auto axes = n.numbers(1);
  if (!axes) return giveLike(n, 0);
  if (n.node.op == "Reverse") {
    std::vector<std::int64_t> chosen;
    for (std::size_t i = 0; i < axes->size(); ++i)
      if ((*axes)[i]) chosen.push_back(static_cast<std::int64_t>(i));
    axes = std::move(chosen);
  }
  if (auto rank = n.rank(0)) {
    std::vector<std::int64_t> seen;
    for (std::int64_t axis : *axes) {
      const std::int64_t at = axis < 0 ? axis + static_cast<std::int64_t>(*rank) : axis;
      if (std::find(seen.begin(), seen.end(), at) != seen.end())
        return n.fail(axisNamedTwice, n.opName(), arg::Number{at});
      seen.push_back(at);
    }
  }
  std::optional<TypedId> value = n.in(0);
  for (std::int64_t axis : *axes)
    if (value) value = n.op("reverse", {*value}, {{"axis", n.t.integer(axis)}});
  return n.give(value);
}

constexpr Message<> noVectorOfLengths{codes::nodeMisfit, "`ReverseSequence` needs a vector of lengths", "here"};

Outcome reverseSequenceType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0), lengths = n.dims(1);
  if (!dims || !lengths) return Outcome::waits;
  auto along = axisWithin(n, n.integer("seq_dim"), dims->size());
  auto batch = axisWithin(n, n.integer("batch_dim"), dims->size());
  if (!along || !batch) return Outcome::failed;
  if (*batch == 0 && *along == 1) return n.give(n.op("reverse_sequence", {n.in(0), n.in(1)}));
  if (lengths->size() != 1) return n.fail(noVectorOfLengths);
  return n.equate((*dims)[*batch], lengths->front()) ? giveLike(n, 0) : Outcome::failed;
}

Outcome rollType(RuleNode& n, std::string_view) {
  auto shifts = n.numbers(1), axes = n.numbers(2);
  if (!shifts || !axes || shifts->size() != axes->size()) return giveLike(n, 0);
  std::optional<TypedId> value = n.in(0);
  for (std::size_t i = 0; i < axes->size() && value; ++i)
    value = n.op("roll", {*value}, {{"axis", n.t.integer((*axes)[i])}, {"shift", n.t.integer((*shifts)[i])}});
  return n.give(value);
}

// ---- more elements

constexpr Message<arg::Name, arg::Number, arg::Number> timesOfOtherRank{
    codes::nodeMisfit, "{} repeats {} axes, but its tensor has rank {}", "the times and the tensor meet here"};

Outcome tileType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  auto value = n.known(1);
  if (value && dims && value->shape.size() == 1 && value->elements.size() != dims->size())
    return n.fail(timesOfOtherRank, n.opName(), arg::Number{value->elements.size()}, arg::Number{dims->size()});
  if (value && std::all_of(value->elements.begin(), value->elements.end(), [&](Dim d) { return isSize(n, d); })) {
    return n.give(n.op("tile", {n.in(0)}, {{"times", n.t.list(value->elements)}}));
  }
  if (!dims) return Outcome::waits;
  for (std::size_t i = 0; i < dims->size(); ++i) {
    bool closed = value && i < value->elements.size() && isSize(n, value->elements[i]);
    (*dims)[i] = closed ? n.t.solution().dims.mul((*dims)[i], value->elements[i]) : n.t.unknownSize("d");
  }
  return giveDims(n, *dims);
}

constexpr Message<arg::Name, arg::Subject, arg::Shape, arg::Number> paddingsOfOtherShape{
    codes::nodeMisfit,
    "{} needs two numbers for each axis, a tensor of shape [{}, 2] and rank 2, but its paddings have shape {} of rank "
    "{}",
    "these paddings"};

Outcome padType(RuleNode& n, std::string_view) {
  auto pads = n.known(1);
  auto rank = n.rank(0);
  if (!pads) {
    // The paddings have a pair for each axis.
    auto pairs = n.dims(1);
    auto count = pairs && pairs->size() == 2 ? n.t.solution().dims.asConstant(pairs->front()) : std::nullopt;
    if (!rank && count && *count <= mostKnown) rank = static_cast<std::size_t>(*count);
    return rank ? giveUnknownSizes(n, *rank) : Outcome::waits;
  }
  if (pads->shape.size() != 2 || pads->shape[1] != 2)
    return n.fail(paddingsOfOtherShape, n.opName(), arg::Subject{rank ? std::to_string(*rank) : "axes"},
                  arg::Shape{toText(PartialShape{true, pads->shape})}, arg::Number{pads->shape.size()});
  bool closed = std::all_of(pads->elements.begin(), pads->elements.end(), [&](Dim d) { return isSize(n, d); });
  if (!closed) {
    auto dims = n.dims(0);
    if (!dims) return giveUnknownSizes(n, static_cast<std::size_t>(pads->shape[0]));
    DimStore& store = n.t.solution().dims;
    for (std::size_t i = 0; i < std::min(dims->size(), pads->elements.size() / 2); ++i) {
      Dim before = pads->elements[2 * i], after = pads->elements[2 * i + 1];
      bool known = isSize(n, before) && isSize(n, after);
      (*dims)[i] = known ? store.add((*dims)[i], store.add(before, after)) : n.t.unknownSize("d");
    }
    return giveDims(n, *dims);
  }
  std::vector<StaticId> pairs;
  for (std::size_t i = 0; i + 1 < pads->elements.size(); i += 2)
    pairs.push_back(n.t.list(Dims{pads->elements[i], pads->elements[i + 1]}));
  Statics statics{{"pads", n.t.list(std::move(pairs))}};
  if (n.node.op == "PadV2") return n.give(n.op("pad_with", {n.in(0), n.in(2)}, std::move(statics)));
  if (n.node.op == "MirrorPad") statics["mode"] = n.t.word(n.text("mode") == "REFLECT" ? "reflect" : "symmetric");
  return n.give(n.op("pad", {n.in(0)}, std::move(statics)));
}

// Crops the ends.
Outcome unpadType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  auto pads = n.numbers(1);
  if (!dims) return Outcome::waits;
  if (!pads) return giveUnknownSizes(n, dims->size());
  for (std::size_t i = 0; i < std::min(dims->size(), pads->size() / 2); ++i)
    (*dims)[i] = n.t.solution().dims.sub((*dims)[i], n.t.constant((*pads)[2 * i] + (*pads)[2 * i + 1]));
  return giveDims(n, *dims);
}

// ---- values

std::optional<Known> reverseValue(const RuleNode& n) {
  auto a = n.known(0);
  auto axes = n.numbers(1);
  if (!a || !axes || a->shape.size() != 1) return std::nullopt;
  if (!axes->empty()) std::reverse(a->elements.begin(), a->elements.end());
  return a;
}

std::optional<Known> tileValue(const RuleNode& n) {
  auto a = n.known(0);
  auto times = n.number(1);
  if (!a || !times || a->shape.size() != 1 || *times < 0 || a->count() * *times > mostKnown) return std::nullopt;
  Dims out;
  for (std::int64_t i = 0; i < *times; ++i) out.insert(out.end(), a->elements.begin(), a->elements.end());
  return Known::vector(std::move(out));
}

std::optional<Known> invertPermutationValue(const RuleNode& n) {
  auto a = n.numbers(0);
  if (!a) return std::nullopt;
  Dims out(a->size(), n.t.constant(0));
  for (std::size_t i = 0; i < a->size(); ++i) {
    std::int64_t at = (*a)[i];
    if (at < 0 || at >= static_cast<std::int64_t>(a->size())) return std::nullopt;
    out[static_cast<std::size_t>(at)] = n.t.constant(static_cast<std::int64_t>(i));
  }
  return Known::vector(std::move(out));
}

std::optional<Known> transposeValue(const RuleNode& n) {
  auto a = n.known(0);
  auto perm = n.numbers(1);
  if (!a || a->shape.size() != 2 || perm != Sizes{1, 0}) return a && perm && a->shape.size() <= 1 ? a : std::nullopt;
  Known out{{a->shape[1], a->shape[0]}, {}};
  for (std::int64_t column = 0; column < a->shape[1]; ++column)
    for (std::int64_t row = 0; row < a->shape[0]; ++row)
      out.elements.push_back(a->elements[static_cast<std::size_t>(row * a->shape[1] + column)]);
  return out;
}

// ---- formulas

// Sorting a permutation by argsort gives its inverse.
FormulaResults invertPermutationFormula(NodeFormula& f) {
  return {f.cast(f.op("argsort", {f.in(0)}), f.elem(f.in(0)))};
}

// Repeats each axis by a number that the run may compute.
FormulaResults tileFormula(NodeFormula& f) {
  auto sizes = f.dims(std::size_t{0}), made = f.outletDims(0);
  if (!sizes || !made || sizes->size() != made->size()) return {};
  Expr value = f.in(0);
  std::size_t open = 0;
  for (Dim d : *made) open += f.isOpen(d);
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    if ((*sizes)[i] == (*made)[i]) continue;
    Expr size = f.numberOf((*sizes)[i]), places;
    if (f.isOpen((*made)[i])) {
      Expr count = f.cast(f.at(f.in(1), 0, static_cast<std::int64_t>(i)), Elem::i64) * size;
      places = f.op("arange_to", {count}, {{"most", f.n.t.integer(NodeFormula::mostFound(open))}});
    } else {
      places = f.countTo((*made)[i]);
    }
    value = f.gather(value, apply("%", places, size), static_cast<std::int64_t>(i));
  }
  return {value};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                   type                 value                    formula
    {"DataFormatDimMap",      likeFirstInput},
    {"DataFormatVecPermute",  likeFirstInput},
    {"Relayout",              likeFirstInput},
    {"RelayoutLike",          likeFirstInput},
    {"CopyToMesh",            likeFirstInput},
    {"CopyToMeshGrad",        likeFirstInput},
    {"CheckPinned",           likeFirstInput},
    {"CopyOp",                likeFirstInput},
    {"FFTND",                 likeFirstInput},
    {"IFFTND",                likeFirstInput},
    {"MirrorPadGrad",         unpadType},
    {"Transpose",             transposeType,       transposeValue,          byPartsFormula},
    {"ConjugateTranspose",    transposeType},
    {"Reverse",               reverseType},
    {"ReverseV2",             reverseType,         reverseValue,            byPartsFormula},
    {"ReverseSequence",       reverseSequenceType},
    {"Roll",                  rollType,            {},                      byPartsFormula},
    {"Tile",                  tileType,            tileValue,               {byPartsFormula, tileFormula}},
    {"Pad",                   padType,             {},                      byPartsFormula},
    {"PadV2",                 padType},
    {"MirrorPad",             padType},
    {"InvertPermutation",     "(t [n]) -> t [n]",  invertPermutationValue,  invertPermutationFormula},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::rearranging
