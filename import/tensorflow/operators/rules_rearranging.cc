// Operators that give the elements another order or another shape, or repeat them.
#include <algorithm>

#include <fmt/format.h>

#include "import/tensorflow/operators/axes.h"

namespace axle::tensorflow {
namespace {

Outcome giveUnknown(RuleNode& n, std::size_t rank) { return giveDims(n, unknownSizes(n, rank)); }

// ---- other shapes

// What -1 stands for among sizes: the product of the input's sizes over that of the others. A size that stands on both
// sides drops out, also where it is 0. None where the quotient is not seen.
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

Outcome reshape(RuleNode& n, std::string_view) {
  auto value = n.known(1);
  auto sizes = n.sizes(1);
  auto input = n.dims(0);
  if (auto rank = n.rank(1); rank && *rank > 1)
    return n.fail("`" + n.node.op + "` takes a shape as a vector, but gets one of rank " + std::to_string(*rank),
                  "this shape");
  if (!sizes) return Outcome::waits;
  constexpr std::size_t none = SIZE_MAX;
  std::size_t hole = none;
  bool open = !value;
  for (std::size_t i = 0; value && i < value->elements.size(); ++i) {
    auto size = n.t.solution().dims.asConstant(value->elements[i]);
    if (size && *size < -1)
      return n.fail("`" + n.node.op + "` to a size of " + std::to_string(*size), "a size is >= 0, or -1 for the rest");
    if (size == -1 && hole != none)
      return n.fail(
          "`" + n.node.op + "` has -1 for axis " + std::to_string(hole) + " and for axis " + std::to_string(i),
          "only one size can be -1, the rest");
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

Outcome quantizedReshape(RuleNode& n, std::string_view core) {
  Outcome outcome = reshape(n, core);
  for (std::size_t port = 1; port < 3 && !n.results.empty(); ++port) n.giveShape({}, port);
  return outcome;
}

Outcome expandDims(RuleNode& n, std::string_view) {
  auto axis = n.number(1);
  if (axis) return n.give(n.op("expand", {n.in(0)}, {{"axis", n.t.integer(*axis)}}));
  auto rank = n.rank(0);
  return rank ? giveUnknown(n, *rank + 1) : Outcome::waits;
}

// Without a list every axis of size 1 goes: then all sizes must be known.
Outcome squeeze(RuleNode& n, std::string_view) {
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
      return n.fail(fmt::format("`Squeeze` takes axis {} away, which has {} elements and not one", axis, *size),
                    fmt::format("axis {} has {} elements", axis, *size));
  std::optional<TypedId> value = n.in(0);
  for (std::int64_t axis : axes)
    if (value) value = n.op("squeeze", {*value}, {{"axis", n.t.integer(axis)}});
  return n.give(value);
}

Outcome broadcastTo(RuleNode& n, std::string_view) {
  auto value = n.known(1);
  auto sizes = n.sizes(1);
  if (!sizes) return Outcome::waits;
  bool closed = value && std::all_of(value->elements.begin(), value->elements.end(),
                                     [&](Dim d) { return n.t.solution().dims.asConstant(d) != -1 && isSize(n, d); });
  if (!closed) {
    // A size that is not 1 stays as it is.
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

// The shape is asserted while the graph runs.
Outcome ensureShape(RuleNode& n, std::string_view) {
  const PartialShape* shape = n.shape("shape");
  if (!shape || !shape->knownRank) return n.give(n.in(0));
  Dims sizes;
  for (std::int64_t size : shape->sizes) sizes.push_back(size < 0 ? n.t.unknownSize("d") : n.t.constant(size));
  TypeId asserted = tensorType(n.t, n.fact(0).type, n.t.shape(sizes), n.places.op);
  if (!n.t.unify(asserted, n.t.typeOf(n.in(0)), n.places.op, "`" + n.node.op + "`")) return Outcome::failed;
  return n.give(n.in(0));
}

// The last axis takes up what elements of another width need.
Outcome bitcast(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  auto to = n.type("type"), given = n.type("T");
  if (!dims || !to || !given) return Outcome::waits;
  auto from = static_cast<std::int64_t>(info(*given).bytes), width = static_cast<std::int64_t>(info(*to).bytes);
  if (from == 0 || width == 0) return Outcome::unknown;
  if (from > width) dims->push_back(n.t.constant(from / width));
  if (from < width) {
    if (dims->empty())
      return n.fail("`Bitcast` makes wider elements of several, but its tensor is a scalar", "of one element");
    if (!equate(n, dims->back(), n.t.constant(width / from))) return Outcome::failed;
    dims->pop_back();
  }
  return giveDims(n, *dims);
}

// ---- other orders

Outcome transpose(RuleNode& n, std::string_view) {
  auto perm = n.numbers(1);
  auto rank = n.rank(0);
  if (!perm) return rank ? giveUnknown(n, *rank) : Outcome::waits;
  if (rank && *rank != perm->size())
    return n.fail(fmt::format("`{}` orders {} axes, but its tensor has rank {}", n.node.op, perm->size(), *rank),
                  "the order and the tensor meet here");
  for (std::int64_t& axis : *perm)
    if (axis < 0) axis += static_cast<std::int64_t>(perm->size());
  return n.give(n.op("transpose", {n.in(0)}, {{"perm", n.t.list(*perm)}}));
}

Outcome reverse(RuleNode& n, std::string_view) {
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
        return n.fail("`" + n.node.op + "` names axis " + std::to_string(at) + " twice", "these axes");
      seen.push_back(at);
    }
  }
  std::optional<TypedId> value = n.in(0);
  for (std::int64_t axis : *axes)
    if (value) value = n.op("reverse", {*value}, {{"axis", n.t.integer(axis)}});
  return n.give(value);
}

Outcome reverseSequence(RuleNode& n, std::string_view) {
  auto dims = n.dims(0), lengths = n.dims(1);
  if (!dims || !lengths) return Outcome::waits;
  auto along = axisWithin(n, n.integer("seq_dim"), dims->size());
  auto batch = axisWithin(n, n.integer("batch_dim"), dims->size());
  if (!along || !batch) return Outcome::failed;
  if (*batch == 0 && *along == 1) return n.give(n.op("reverse_sequence", {n.in(0), n.in(1)}));
  if (lengths->size() != 1) return n.fail("`ReverseSequence` needs a vector of lengths", "here");
  return equate(n, (*dims)[*batch], lengths->front()) ? giveLike(n, 0) : Outcome::failed;
}

Outcome roll(RuleNode& n, std::string_view) {
  auto shifts = n.numbers(1), axes = n.numbers(2);
  if (!shifts || !axes || shifts->size() != axes->size()) return giveLike(n, 0);
  std::optional<TypedId> value = n.in(0);
  for (std::size_t i = 0; i < axes->size() && value; ++i)
    value = n.op("roll", {*value}, {{"axis", n.t.integer((*axes)[i])}, {"shift", n.t.integer((*shifts)[i])}});
  return n.give(value);
}

// ---- more elements

Outcome tile(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  auto value = n.known(1);
  if (value && dims && value->shape.size() == 1 && value->elements.size() != dims->size())
    return n.fail(fmt::format("`{}` repeats {} axes, but its tensor has rank {}", n.node.op, value->elements.size(),
                              dims->size()),
                  "the times and the tensor meet here");
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

Outcome pad(RuleNode& n, std::string_view) {
  auto pads = n.known(1);
  auto rank = n.rank(0);
  if (!pads) {
    // There are as many pairs as axes.
    auto pairs = n.dims(1);
    auto count = pairs && pairs->size() == 2 ? n.t.solution().dims.asConstant(pairs->front()) : std::nullopt;
    if (!rank && count && *count <= mostKnown) rank = static_cast<std::size_t>(*count);
    return rank ? giveUnknown(n, *rank) : Outcome::waits;
  }
  if (pads->shape.size() != 2 || pads->shape[1] != 2)
    return n.fail(fmt::format("`{}` needs two numbers for each axis, a tensor of shape [{}, 2] and rank 2, but its "
                              "paddings have shape {} of rank {}",
                              n.node.op, rank ? std::to_string(*rank) : "axes", toText(PartialShape{true, pads->shape}),
                              pads->shape.size()),
                  "these paddings");
  bool closed = std::all_of(pads->elements.begin(), pads->elements.end(), [&](Dim d) { return isSize(n, d); });
  if (!closed) {
    auto dims = n.dims(0);
    if (!dims) return giveUnknown(n, static_cast<std::size_t>(pads->shape[0]));
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

// What is left without the edges.
Outcome unpad(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  auto pads = n.numbers(1);
  if (!dims) return Outcome::waits;
  if (!pads) return giveUnknown(n, dims->size());
  for (std::size_t i = 0; i < std::min(dims->size(), pads->size() / 2); ++i)
    (*dims)[i] = n.t.solution().dims.sub((*dims)[i], n.t.constant((*pads)[2 * i] + (*pads)[2 * i + 1]));
  return giveDims(n, *dims);
}

constexpr Rule rows[] = {
    {"Reshape", reshape},
    {"ExpandDims", expandDims},
    {"Squeeze", squeeze},
    {"BroadcastTo", broadcastTo},
    {"EnsureShape", ensureShape},
    {"Bitcast", bitcast},
    {"QuantizedReshape", quantizedReshape},
    {"DataFormatDimMap", likeFirst},
    {"DataFormatVecPermute", likeFirst},
    {"Relayout", likeFirst},
    {"RelayoutLike", likeFirst},
    {"CopyToMesh", likeFirst},
    {"CopyToMeshGrad", likeFirst},
    {"CheckPinned", likeFirst},
    {"CopyOp", likeFirst},
    {"FFTND", likeFirst},
    {"IFFTND", likeFirst},
    {"MirrorPadGrad", unpad},
    {"Transpose", transpose},
    {"ConjugateTranspose", transpose},
    {"Reverse", reverse},
    {"ReverseV2", reverse},
    {"ReverseSequence", reverseSequence},
    {"Roll", roll},
    {"Tile", tile},
    {"Pad", pad},
    {"PadV2", pad},
    {"MirrorPad", pad},
    {"InvertPermutation", bySignature, "(t [n]) -> t [n]"},
    {"DeepCopy", likeFirst},
};

}  // namespace

std::span<const Rule> rearrangingRules() { return rows; }

}  // namespace axle::tensorflow
