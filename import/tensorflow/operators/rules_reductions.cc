// Reductions, and what runs along an axis.
#include <cmath>

#include "import/tensorflow/operators/axes.h"

namespace axle::tensorflow {
namespace {

// What is known where the axes are not: with kept dimensions the rank.
Outcome untilAxesAreKnown(RuleNode& n) {
  auto rank = n.rank(0);
  if (rank && n.flag("keep_dims")) n.giveShape(n.t.shape(unknownSizes(n, *rank)));
  return Outcome::waits;
}

// Axes stand in the second input.
Outcome reduce(RuleNode& n, std::string_view core) {
  auto axes = n.numbers(1);
  if (!axes && n.fact(1).axesOf && n.fact(1).axesOf == n.in(0))
    return n.give(n.op(core, {n.in(0)}, {{"keep", n.t.boolean(n.flag("keep_dims"))}}));  // all of them
  if (!axes) return untilAxesAreKnown(n);
  return n.give(n.op(core, {n.in(0)}, {{"axis", n.t.list(*axes)}, {"keep", n.t.boolean(n.flag("keep_dims"))}}));
}

Outcome along(RuleNode& n, std::string_view core) {
  return n.isTensor(0) ? n.give(n.op(core, {n.in(0)}, {{"axis", n.t.integer(-1)}})) : Outcome::unknown;
}

// What is no number never counts: it is made the worst one.
std::optional<TypedId> withoutNan(RuleNode& n, std::string_view core) {
  auto elem = elementOf(n.fact(0).type);
  if (!elem || !axle::info(*elem).isFloat) return n.in(0);
  auto isNan = n.op("is_nan", {n.in(0)});
  double worst = core == "argmax" ? -INFINITY : INFINITY;
  return isNan ? n.op("select", {*isNan, n.t.literal(worst, *elem, n.places.op), n.in(0)}) : isNan;
}

// The axis is the second input, the result of its own integer type.
Outcome extreme(RuleNode& n, std::string_view core) {
  if (!n.isTensor(0)) return Outcome::unknown;
  auto axis = n.number(1);
  if (!axis) {
    auto rank = n.rank(0);
    if (rank && *rank > 0) n.giveShape(n.t.shape(unknownSizes(n, *rank - 1)));
    return Outcome::waits;
  }
  auto numbers = withoutNan(n, core);
  if (!numbers) return Outcome::failed;
  auto found = n.op(core, {*numbers}, {{"axis", n.t.integer(*axis)}});
  if (!found || n.type("output_type") != Type::i32) return n.give(found);
  auto narrow = n.op("cast", {*found});
  if (!narrow) return Outcome::failed;
  n.t.unify(n.t.typeOf(*narrow), n.t.tensor(ElemTerm::of(Elem::i32), n.t.unknownShape("s"), n.places.op), n.places.op,
            "`" + n.node.op + "`");
  return n.give(narrow);
}

Outcome cumulative(RuleNode& n, std::string_view core) {
  if (!n.isTensor(0)) return Outcome::unknown;
  auto axis = n.number(1);
  if (!axis) {
    giveLike(n, 0);
    return Outcome::waits;
  }
  return n.give(n.op(core, {n.in(0)},
                     {{"axis", n.t.integer(*axis)},
                      {"exclusive", n.t.boolean(n.flag("exclusive"))},
                      {"reverse", n.t.boolean(n.flag("reverse"))}}));
}

constexpr Rule rows[] = {
    {"Sum", reduce, "sum"},           {"Prod", reduce, "prod"},
    {"Mean", reduce, "mean"},         {"EuclideanNorm", reduce, "l2_norm"},
    {"Max", reduce, "amax"},          {"Min", reduce, "amin"},
    {"All", reduce, "all"},           {"Any", reduce, "any"},
    {"Softmax", along, "softmax"},    {"LogSoftmax", along, "log_softmax"},
    {"ArgMax", extreme, "argmax"},    {"ArgMin", extreme, "argmin"},
    {"Cumsum", cumulative, "cumsum"}, {"Cumprod", cumulative, "cumprod"},
};

}  // namespace

std::span<const Rule> reductionRules() { return rows; }

}  // namespace axle::tensorflow
