// Operators that make tensors: of sizes, of numbers, of what is found in other tensors.
#include <algorithm>
#include <cmath>

#include "import/tensorflow/operators/axes.h"

namespace axle::tensorflow {
namespace {

// ---- shapes as tensors

Outcome shape(RuleNode& n, std::string_view core) {
  // A shape of unknown rank is a value that a later node may tell.
  if (!n.rank(0)) {
    giveDims(n, core == "shape" ? Dims{n.t.unknownSize("r")} : Dims{});
    return Outcome::waits;
  }
  auto made = n.op(core, {n.in(0)});
  if (!made || n.type("out_type") == Type::i64) return n.give(made);
  return n.give(castTo(n, *made, Elem::i32));
}

Outcome rank(RuleNode& n, std::string_view) { return giveDims(n, {}); }

Outcome shapeN(RuleNode& n, std::string_view) {
  bool open = false;
  for (std::size_t i = 0; i < n.count(); ++i) {
    auto rank = n.rank(i);
    open |= !rank;
    Dim length = rank ? n.t.constant(static_cast<std::int64_t>(*rank)) : n.t.unknownSize("r");
    if (Outcome made = giveDims(n, {length}, i); made != Outcome::done) return made;
  }
  return open ? Outcome::waits : Outcome::done;
}

Outcome broadcastArgs(RuleNode& n, std::string_view) {
  auto a = n.dims(0), b = n.dims(1);
  if (!a || !b || a->size() != 1 || b->size() != 1) {
    giveDims(n, {n.t.unknownSize("r")});
    return Outcome::waits;
  }
  return giveDims(n, {larger(n, a->front(), b->front())});
}

// ---- of sizes that are given

Outcome fill(RuleNode& n, std::string_view) {
  auto value = n.known(0);
  auto sizes = n.sizes(0);
  if (!sizes) return Outcome::waits;
  bool closed =
      value && std::all_of(value->elements.begin(), value->elements.end(), [&](Dim d) { return isSize(n, d); });
  if (!closed) return giveDims(n, *sizes);
  return n.give(n.op("full", {n.in(1)}, {{"dims", n.t.list(*sizes)}}));
}

// The sizes are the input that `core` counts.
Outcome sizedBy(RuleNode& n, std::string_view core) {
  auto sizes = n.sizes(static_cast<std::size_t>(core.front() - '0'));
  return sizes ? giveDims(n, *sizes) : Outcome::waits;
}

Outcome realRange(RuleNode& n) {
  auto start = n.real(0), limit = n.real(1), step = n.real(2);
  if (!start || !limit || !step || *step == 0) return giveDims(n, {n.t.unknownSize("k")});
  double steps = (*limit - *start) / *step;
  // It is counted in the element's own precision.
  if (n.fact(0).type == Type::f32) steps = static_cast<float>(*limit - *start) / static_cast<float>(*step);
  double count = std::ceil(std::abs(steps));
  if (!(count < 1e15)) return giveDims(n, {n.t.unknownSize("k")});
  return giveDims(n, {n.t.constant(static_cast<std::int64_t>(count))});
}

Outcome range(RuleNode& n, std::string_view) {
  auto elem = elementOf(n.fact(0).type);
  if (elem && axle::info(*elem).isFloat) return realRange(n);
  auto start = n.known(0), limit = n.known(1);
  auto step = n.number(2);
  auto isOpen = [&](const std::optional<Known>& k) { return !k || k->count() != 1 || !isSize(n, k->elements[0]); };
  if (isOpen(start) || isOpen(limit) || !step) return giveDims(n, {n.t.unknownSize("k")});
  Dim from = start->elements[0], to = limit->elements[0];
  if (*step == 0) return n.fail("`Range` has step 0", "this range never ends");
  if (*step < 0) {
    std::swap(from, to);
    DimStore& dims = n.t.solution().dims;
    return giveDims(n, {dims.ceildiv(dims.sub(to, from), n.t.constant(-*step))});
  }
  auto made =
      n.op("arange", {}, {{"start", n.t.integer(from)}, {"stop", n.t.integer(to)}, {"step", n.t.integer(*step)}});
  return n.give(made && elem ? castTo(n, *made, *elem) : made);
}

Outcome linSpace(RuleNode& n, std::string_view) {
  auto count = n.number(2);
  if (count && *count >= 1) return n.give(n.op("linspace", {n.in(0), n.in(1)}, {{"count", n.t.integer(*count)}}));
  auto sizes = n.sizes(2);
  return giveDims(n, {sizes && sizes->size() == 1 ? sizes->front() : n.t.unknownSize("k")});
}

// The two values stand where the core operator has true and false.
Outcome oneHot(RuleNode& n, std::string_view) {
  auto depth = n.sizes(1);
  Dim size = depth && depth->size() == 1 ? depth->front() : n.t.unknownSize("k");
  auto places =
      n.op("one_hot", {n.in(0)}, {{"depth", n.t.integer(size)}, {"axis", n.t.integer(n.integer("axis", -1))}});
  if (!places) return Outcome::failed;
  TypeId truth = n.t.tensor(ElemTerm::of(Elem::boolean), n.t.unknownShape("s"), n.places.op);
  if (!n.t.unify(n.t.typeOf(*places), truth, n.places.op, "`OneHot`")) return Outcome::failed;
  for (std::size_t i : {2, 3})
    if (!n.t.unify(n.t.tensor(n.t.unknownElem(), {}, n.places.op), n.t.typeOf(n.in(i)), n.places.inputs[i], "`OneHot`"))
      return Outcome::failed;
  return n.give(n.op("select", {*places, n.in(2), n.in(3)}));
}

// ---- of what is found

Outcome topK(RuleNode& n, std::string_view) {
  Dim k = n.t.constant(n.integer("k"));
  if (n.count() > 1) {
    auto given = n.sizes(1);
    k = given && given->size() == 1 ? given->front() : n.t.unknownSize("k");
  }
  auto found = n.op("top_k", {n.in(0)}, {{"k", n.t.integer(k)}, {"sorted", n.t.boolean(n.flag("sorted"))}});
  if (!found) return Outcome::failed;
  std::vector<TypedId> parts = n.t.bind(n.node.name, *found, n.places.op);
  if (n.type("index_type") != Type::i64) {
    auto places = castTo(n, parts[1], Elem::i32);
    if (!places) return Outcome::failed;
    parts[1] = *places;
  }
  return n.give(std::move(parts));
}

Outcome where(RuleNode& n, std::string_view) {
  auto rank = n.rank(0);
  Dim places = rank ? n.t.constant(static_cast<std::int64_t>(*rank)) : n.t.unknownSize("r");
  giveDims(n, {n.t.unknownSize("k"), places});
  return rank ? Outcome::done : Outcome::waits;
}

// The different elements, where each of the input is among them, and how often it occurs.
Outcome unique(RuleNode& n, std::string_view) {
  Dim found = n.t.unknownSize("k");
  if (!n.node.op.ends_with("V2")) {
    TypeId vector = n.t.tensor(n.t.unknownElem(), n.t.shape({n.t.unknownSize("n")}), n.places.op);
    if (!n.t.unify(vector, n.t.typeOf(n.in(0)), n.places.inputs[0], "`" + n.node.op + "`")) return Outcome::failed;
  }
  auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  std::size_t axis = 0;
  if (n.node.op.ends_with("V2") && n.count() > 1) {
    auto axes = n.numbers(1);
    if (!axes) return Outcome::waits;
    if (!axes->empty()) {
      auto at = axisWithin(n, axes->front(), dims->size());
      if (!at) return Outcome::failed;
      axis = *at;
    }
  }
  if (axis >= dims->size()) return Outcome::unknown;
  Dim all = (*dims)[axis];
  (*dims)[axis] = found;
  if (Outcome made = giveDims(n, *dims, 0); made != Outcome::done) return made;
  if (n.node.op.starts_with("UniqueWithCounts")) {
    giveDims(n, {all}, 1);
    return giveDims(n, {found}, 2);
  }
  return giveDims(n, {all}, 1);
}

// Two vectors of one length that the run finds.
Outcome found(RuleNode& n, std::string_view) {
  Dim count = n.t.unknownSize("k");
  giveDims(n, {count}, 0);
  return giveDims(n, {count}, 1);
}

// Two vectors, each with a length of its own.
Outcome foundApart(RuleNode& n, std::string_view) {
  giveDims(n, {n.t.unknownSize("k")}, 0);
  return giveDims(n, {n.t.unknownSize("k")}, 1);
}

Outcome unravelIndex(RuleNode& n, std::string_view) {
  auto indices = n.dims(0), sizes = n.dims(1);
  if (!indices || !sizes || sizes->size() != 1) return Outcome::waits;
  indices->insert(indices->begin(), sizes->front());
  return giveDims(n, *indices);
}

// Sparse tensors of sequences, their shapes the third and the sixth input: all axes but the last.
Outcome editDistance(RuleNode& n, std::string_view) {
  auto a = n.sizes(2), b = n.sizes(5);
  if (!a || !b || a->size() != b->size() || a->empty()) return Outcome::waits;
  Dims sizes;
  for (std::size_t i = 0; i + 1 < a->size(); ++i) sizes.push_back(larger(n, (*a)[i], (*b)[i]));
  return giveDims(n, sizes);
}

constexpr Rule rows[] = {
    {"Shape", shape, "shape"},
    {"Size", shape, "size"},
    {"Rank", rank},
    {"ShapeN", shapeN},
    {"BroadcastArgs", broadcastArgs},
    {"BroadcastGradientArgs", foundApart},
    {"Fill", fill},
    {"Empty", sizedBy, "0"},
    {"SparseToDense", sizedBy, "1"},
    {"Range", range},
    {"LinSpace", linSpace},
    {"OneHot", oneHot},
    {"TopK", topK},
    {"TopKV2", topK},
    {"Where", where},
    {"Unique", unique},
    {"UniqueV2", unique},
    {"UniqueWithCounts", unique},
    {"UniqueWithCountsV2", unique},
    {"ListDiff", found},
    {"UnravelIndex", unravelIndex},
    {"EditDistance", editDistance},
};

}  // namespace

std::span<const Rule> makingRules() { return rows; }

}  // namespace axle::tensorflow
