// Operators that make, cut, join and rearrange tensors.
#include <algorithm>

#include "ir/import/tensorflow/analysis/rule.h"

namespace axle::tensorflow {
namespace {

// Sizes that are given as a value: a number, an open size, and -1 for what is left.
std::optional<StaticId> shapeList(RuleNode& n, std::size_t input) {
  auto value = n.known(input);
  auto sizes = n.sizes(input);
  if (!value || !sizes) return std::nullopt;
  std::vector<StaticId> items;
  for (std::size_t i = 0; i < sizes->size(); ++i)
    items.push_back(n.t.solution().dims.asConstant(value->elements[i]) == -1 ? n.t.hole() : n.t.integer((*sizes)[i]));
  return n.t.list(std::move(items));
}

Outcome reshape(RuleNode& n, std::string_view) {
  if (!n.isTensor(0)) return Outcome::unknown;
  auto dims = shapeList(n, 1);
  return dims ? n.give(n.op("reshape", {n.in(0)}, {{"dims", *dims}})) : Outcome::waits;
}

Outcome transpose(RuleNode& n, std::string_view) {
  if (!n.isTensor(0)) return Outcome::unknown;
  auto perm = n.numbers(1);
  return perm ? n.give(n.op("transpose", {n.in(0)}, {{"perm", n.t.list(*perm)}})) : Outcome::waits;
}

Outcome expandDims(RuleNode& n, std::string_view) {
  if (!n.isTensor(0)) return Outcome::unknown;
  auto axis = n.number(1);
  return axis ? n.give(n.op("expand", {n.in(0)}, {{"axis", n.t.integer(*axis)}})) : Outcome::waits;
}

Outcome squeeze(RuleNode& n, std::string_view) {
  if (!n.isTensor(0)) return Outcome::unknown;
  auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  auto rank = static_cast<std::int64_t>(dims->size());
  std::vector<std::int64_t> axes = n.integers("squeeze_dims");
  if (axes.empty())
    for (std::int64_t i = 0; i < rank; ++i)
      if (n.t.solution().dims.asConstant((*dims)[static_cast<std::size_t>(i)]) == 1) axes.push_back(i);
  for (std::int64_t& axis : axes)
    if (axis < 0) axis += rank;
  std::sort(axes.begin(), axes.end(), std::greater<>());
  std::optional<TypedId> value = n.in(0);
  for (std::int64_t axis : axes)
    if (value) value = n.op("squeeze", {*value}, {{"axis", n.t.integer(axis)}});
  return n.give(value);
}

Outcome pack(RuleNode& n, std::string_view) {
  for (std::size_t i = 0; i < n.count(); ++i)
    if (!n.isTensor(i)) return Outcome::unknown;
  return n.give(n.op("stack", n.ins(), {{"axis", n.t.integer(n.integer("axis"))}}));
}

Outcome joined(RuleNode& n, std::vector<TypedId> parts, std::optional<std::int64_t> axis) {
  if (!axis) return Outcome::waits;
  if (parts.size() == 1) return n.give(parts);
  return n.give(n.op("concat", std::move(parts), {{"axis", n.t.integer(*axis)}}));
}
Outcome concat(RuleNode& n, std::string_view) {
  for (std::size_t i = 1; i < n.count(); ++i)
    if (!n.isTensor(i)) return Outcome::unknown;
  return joined(n, n.ins(1), n.number(0));
}
Outcome concatV2(RuleNode& n, std::string_view) {
  std::vector<TypedId> parts = n.ins();
  parts.pop_back();
  return joined(n, std::move(parts), n.number(n.count() - 1));
}

Outcome fill(RuleNode& n, std::string_view) {
  if (!n.isTensor(1)) return Outcome::unknown;
  auto dims = shapeList(n, 0);
  return dims ? n.give(n.op("full", {n.in(1)}, {{"dims", *dims}})) : Outcome::waits;
}

Outcome pad(RuleNode& n, std::string_view) {
  if (!n.isTensor(0)) return Outcome::unknown;
  auto pads = n.known(1);
  if (!pads) return Outcome::waits;
  if (pads->shape.size() != 2 || pads->shape[1] != 2)
    return n.fail("`" + n.node.op + "` needs two numbers for each axis, but its paddings have shape " +
                      toText(PartialShape{true, pads->shape}),
                  "these paddings");
  std::vector<StaticId> pairs;
  for (std::size_t i = 0; i + 1 < pads->elements.size(); i += 2)
    pairs.push_back(n.t.list(std::vector<Dim>{pads->elements[i], pads->elements[i + 1]}));
  Statics statics{{"pads", n.t.list(std::move(pairs))}};
  if (n.node.op == "MirrorPad") statics["mode"] = n.t.word(n.text("mode") == "REFLECT" ? "reflect" : "symmetric");
  return n.give(n.op("pad", {n.in(0)}, std::move(statics)));
}

Outcome shape(RuleNode& n, std::string_view core) {
  if (!n.isTensor(0)) return Outcome::unknown;
  auto made = n.op(core, {n.in(0)});
  if (!made || n.type("out_type") == Type::i64) return n.give(made);
  auto narrow = n.op("cast", {*made});
  if (!narrow) return Outcome::failed;
  n.t.unify(n.t.typeOf(*narrow), n.t.tensor(ElemTerm::of(Elem::i32), n.t.unknownShape("s"), n.places.op), n.places.op,
            "`" + n.node.op + "`");
  return n.give(narrow);
}

constexpr Rule rows[] = {
    {"Reshape", reshape},    {"Transpose", transpose}, {"ExpandDims", expandDims},
    {"Squeeze", squeeze},    {"Pack", pack},           {"Concat", concat},
    {"ConcatV2", concatV2},  {"Fill", fill},           {"Pad", pad},
    {"PadV2", pad},          {"MirrorPad", pad},       {"Shape", shape, "shape"},
    {"Size", shape, "size"},
};

}  // namespace

std::span<const Rule> arrayRules() { return rows; }

}  // namespace axle::tensorflow
