#include "import/tensorflow/operators/shared_rules.h"
#include "import/tensorflow/problems.h"

#include <algorithm>

#include "typecheck/solver/fact_tiers.h"

namespace axle::tensorflow {
namespace {

// Whether two sizes differ for certain. Sizes that the run determines may be equal without a proof; the run checks
// them.
bool differ(RuleNode& n, Dim a, Dim b) {
  Solution& solution = n.t.solution();
  auto between = solution.dims.asConstant(solution.dims.sub(solution.resolve(a), solution.resolve(b)));
  return between && *between != 0;
}

}  // namespace

constexpr Message<arg::Name, arg::Number, arg::Number> noSuchAxis{
    codes::nodeMisfit, "{} has no axis {} to work on: its tensor has rank {}", "here"};

std::optional<std::size_t> axisWithin(RuleNode& n, std::int64_t axis, std::size_t rank) {
  std::int64_t from = static_cast<std::int64_t>(rank);
  std::int64_t at = axis < 0 ? axis + from : axis;
  if (at >= 0 && at < from) return static_cast<std::size_t>(at);
  n.fail(noSuchAxis, n.opName(), arg::Number{axis}, arg::Number{rank});
  return std::nullopt;
}

bool isSize(const RuleNode& n, Dim d) {
  const Solution& solution = n.t.solution();
  auto vars = solution.dims.variables(d);
  return std::all_of(vars.begin(), vars.end(), [&](DimVar v) { return solution.dimVars[v.index].isSize; });
}

bool isAtLeast(RuleNode& n, Dim a, Dim b) {
  Solution& solution = n.t.solution();
  DimFact fact{solution.resolve(a), FactRelation::ge, solution.resolve(b), {}, {}};
  return decideFact(n.t.checked().solver, fact) == FactVerdict::proved;
}

Dim larger(RuleNode& n, Dim a, Dim b) {
  if (isAtLeast(n, a, b)) return a;
  return isAtLeast(n, b, a) ? b : n.t.solution().dims.max(a, b);
}

Dim smaller(RuleNode& n, Dim a, Dim b) {
  if (isAtLeast(n, a, b)) return b;
  return isAtLeast(n, b, a) ? a : n.t.solution().dims.min(a, b);
}

Dim openSize(RuleNode& n) { return n.t.unknownSize("k"); }

Dims unknownSizes(RuleNode& n, std::size_t rank) {
  Dims sizes;
  for (std::size_t i = 0; i < rank; ++i) sizes.push_back(n.t.unknownSize("d"));
  return sizes;
}

bool requireShape(RuleNode& n, std::size_t input, Shape shape, std::optional<Span> at) {
  return n.requireInput(input, n.t.tensor(n.t.unknownElem(), std::move(shape), n.places.op), at);
}

bool requireDims(RuleNode& n, std::size_t input, const Dims& dims, std::optional<Span> at) {
  return requireShape(n, input, n.t.shape(dims), at);
}

Outcome giveDims(RuleNode& n, const Dims& dims, std::size_t port) { return n.giveShape(n.t.shape(dims), port); }

Outcome giveUnknownSizes(RuleNode& n, std::size_t rank) { return giveDims(n, unknownSizes(n, rank)); }

Outcome giveLike(RuleNode& n, std::size_t input) {
  n.giveTypesOnly();
  return n.give(n.in(input));
}

Outcome likeFirstInput(RuleNode& n, std::string_view) { return giveLike(n, 0); }

std::optional<TypedId> castTo(RuleNode& n, TypedId value, Elem elem) {
  auto made = n.op("cast", {value});
  if (!made) return std::nullopt;
  TypeId asked = n.t.tensor(ElemTerm::of(elem), n.t.unknownShape("s"), n.places.op);
  return n.equate(n.t.typeOf(*made), asked) ? made : std::nullopt;
}

Outcome giveSizesOf(RuleNode& n, std::size_t input) {
  auto sizes = n.sizes(input);
  return sizes ? giveDims(n, *sizes) : Outcome::waits;
}

Outcome scalarType(RuleNode& n, std::string_view) { return n.giveShape({}); }

Outcome anyShapeType(RuleNode&, std::string_view) { return Outcome::done; }

void appendFrom(Dims& to, const Dims& from, std::size_t first) {
  if (first < from.size()) to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first), from.end());
}

constexpr Message<arg::Name, arg::Number, arg::Number> idsOfHigherRank{
    codes::nodeMisfit, "{} has ids of rank {} for a tensor of rank {}", "here"};

bool beginsWith(RuleNode& n, const Dims& dims, const Dims& front) {
  if (front.size() > dims.size()) {
    n.fail(idsOfHigherRank, n.opName(), arg::Number{front.size()}, arg::Number{dims.size()});
    return false;
  }
  for (std::size_t i = 0; i < front.size(); ++i)
    if (differ(n, dims[i], front[i]) && !n.equate(dims[i], front[i])) return false;
  return true;
}

std::optional<Known> firstInputValue(const RuleNode& n) { return n.known(0); }

}  // namespace axle::tensorflow
