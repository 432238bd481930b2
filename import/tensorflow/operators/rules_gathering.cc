// Operators that take and put parts at places that are data: gathers, scatters, segments, partitions.
#include <algorithm>

#include "import/tensorflow/operators/axes.h"

namespace axle::tensorflow {
namespace {

void append(Dims& to, const Dims& from, std::size_t first) {
  if (first < from.size()) to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first), from.end());
}

// False after an error: places that are known lie within the axis of that size.
bool liesWithin(RuleNode& n, const std::vector<std::int64_t>& places, Dim size) {
  auto count = n.t.solution().dims.asConstant(size);
  if (!count || !n.runsAlways) return true;
  auto beyond = std::find_if(places.begin(), places.end(), [&](std::int64_t at) { return at < 0 || at >= *count; });
  if (beyond == places.end()) return true;
  n.fail("`" + n.node.op + "` takes from place " + std::to_string(*beyond) + " of an axis of size " +
             std::to_string(*count),
         *count == 0 ? "it has none" : "its places are 0 to " + std::to_string(*count - 1));
  return false;
}

// The leading axes of both are one batch: `batch_dims` of them.
Outcome gatherBatches(RuleNode& n, std::int64_t axis, std::int64_t batches) {
  auto dims = n.dims(0), indices = n.dims(1);
  if (!dims || !indices) return Outcome::waits;
  if (batches < 0) batches += static_cast<std::int64_t>(indices->size());
  auto at = axisWithin(n, axis, dims->size());
  if (!at) return Outcome::failed;
  auto batch = static_cast<std::size_t>(batches);
  if (batches < 0 || batch > *at || batch > indices->size())
    return n.fail("`" + n.node.op + "` has " + std::to_string(batches) +
                      " batch axes, but not that many before its axis " + std::to_string(*at),
                  "this `batch_dims`");
  for (std::size_t i = 0; i < batch; ++i)
    if (!equate(n, (*dims)[i], (*indices)[i])) return Outcome::failed;
  Dims sizes(dims->begin(), dims->begin() + static_cast<std::ptrdiff_t>(*at));
  append(sizes, *indices, batch);
  append(sizes, *dims, *at + 1);
  return giveDims(n, sizes);
}

Outcome gather(RuleNode& n, std::string_view) {
  auto axis = n.count() > 2 ? n.number(2) : 0;
  if (!axis) {
    auto a = n.rank(0), b = n.rank(1);
    std::int64_t batches = n.integer("batch_dims");
    if (batches < 0 && b) batches += static_cast<std::int64_t>(*b);
    std::int64_t rank = a && b ? static_cast<std::int64_t>(*a + *b) - 1 - batches : -1;
    if (rank >= 0) giveDims(n, unknownSizes(n, static_cast<std::size_t>(rank)));
    return Outcome::waits;
  }
  if (auto dims = n.dims(0), places = n.numbers(1).has_value() ? n.dims(1) : std::nullopt; dims && places) {
    const auto rank = static_cast<std::int64_t>(dims->size()), at = *axis < 0 ? *axis + rank : *axis;
    if (at >= 0 && at < rank && !liesWithin(n, *n.numbers(1), (*dims)[static_cast<std::size_t>(at)]))
      return Outcome::failed;
  }
  if (std::int64_t batches = n.integer("batch_dims")) return gatherBatches(n, *axis, batches);
  return n.give(n.op("gather", {n.in(0), n.in(1)}, {{"axis", n.t.integer(*axis)}}));
}

// How many axes the rows of indices name; none while it is not known.
std::optional<std::size_t> depthOf(RuleNode& n, std::size_t indices) {
  auto dims = n.dims(indices);
  if (!dims || dims->empty()) return std::nullopt;
  auto depth = n.t.solution().dims.asConstant(dims->back());
  return depth ? std::optional(static_cast<std::size_t>(*depth)) : std::nullopt;
}

Outcome gatherNd(RuleNode& n, std::string_view) {
  auto dims = n.dims(0), indices = n.dims(1);
  auto depth = depthOf(n, 1);
  if (!dims || !depth) return Outcome::waits;
  if (*depth > dims->size())
    return n.fail("`" + n.node.op + "` has indices of " + std::to_string(*depth) + " axes for a tensor of rank " +
                      std::to_string(dims->size()),
                  "here");
  auto places = n.numbers(1);
  for (std::size_t axis = 0; places && axis < *depth; ++axis) {
    std::vector<std::int64_t> along;
    for (std::size_t i = axis; i < places->size(); i += *depth) along.push_back((*places)[i]);
    if (!liesWithin(n, along, (*dims)[axis])) return Outcome::failed;
  }
  Dims sizes(indices->begin(), indices->end() - 1);
  append(sizes, *dims, *depth);
  return giveDims(n, sizes);
}

bool isNumber(const RuleNode& n, std::size_t i) {
  return n.fact(i).type != Type::boolean && n.fact(i).type != Type::string;
}

// Updates are added up where they meet, over zeros.
Outcome scatterNd(RuleNode& n, std::string_view) {
  auto sizes = n.sizes(2);
  if (!sizes) return Outcome::waits;
  auto said = n.known(2);
  const bool isClosed =
      said && std::all_of(said->elements.begin(), said->elements.end(), [&](Dim d) { return isSize(n, d); });
  if (!isClosed || !depthOf(n, 0) || !isNumber(n, 1)) return giveDims(n, *sizes);
  auto zeros = n.op("zeros", {}, {{"dims", n.t.list(*sizes)}});
  return n.give(zeros ? n.op("scatter_add", {*zeros, n.in(0), n.in(1)}) : zeros);
}

Outcome scatterInto(RuleNode& n, std::string_view core) {
  if (!n.rank(0) || !depthOf(n, 1)) return giveLike(n, 0);
  std::optional<TypedId> updates = n.in(2);
  if (core == "-") {
    updates = n.op("-", {*updates});
    core = "scatter_add";
  }
  return n.give(updates ? n.op(core, {n.in(0), n.in(1), *updates}) : updates);
}

// ---- rows with ids

// Whether they are for certain. What the run finds may be equal without a proof, and is checked there.
bool differ(RuleNode& n, Dim a, Dim b) {
  Solution& solution = n.t.solution();
  auto between = solution.dims.asConstant(solution.dims.sub(solution.resolve(a), solution.resolve(b)));
  return between && *between != 0;
}

// False after an error: the first axes of `dims` are those of `front`.
bool beginsWith(RuleNode& n, const Dims& dims, const Dims& front) {
  if (front.size() > dims.size()) {
    n.fail("`" + n.node.op + "` has ids of rank " + std::to_string(front.size()) + " for a tensor of rank " +
               std::to_string(dims.size()),
           "here");
    return false;
  }
  for (std::size_t i = 0; i < front.size(); ++i)
    if (differ(n, dims[i], front[i]) && !equate(n, dims[i], front[i])) return false;
  return true;
}

// The leading axes of the data are those of the ids; one axis of groups takes their place. The ids of a sparse one are
// of the rows that are chosen.
Outcome grouped(RuleNode& n, std::size_t ids, Dim groups) {
  auto dims = n.dims(0), its = n.dims(ids);
  if (!dims || !its) return Outcome::waits;
  auto chosen = n.node.op.starts_with("SparseSegment") ? n.dims(1) : dims;
  if (chosen && !beginsWith(n, *chosen, *its)) return Outcome::failed;
  Dims sizes{groups};
  append(sizes, *dims, its->size());
  return giveDims(n, sizes);
}

// How many there are, if `id` is the last one.
std::int64_t behind(std::int64_t id) { return std::clamp<std::int64_t>(id, -1, INT64_MAX - 1) + 1; }

// False after an error.
bool isVector(RuleNode& n, std::size_t input) {
  TypeId wanted = n.t.tensor(n.t.unknownElem(), n.t.shape({n.t.unknownSize("n")}), n.places.op);
  return n.t.unify(wanted, n.t.typeOf(n.in(input)), n.places.inputs[input], "`" + n.node.op + "`");
}

// Ids rise, so the last one tells how many groups there are.
Outcome segment(RuleNode& n, std::string_view) {
  std::size_t ids = n.count() - 1;
  if (!isVector(n, ids)) return Outcome::failed;
  auto values = n.numbers(ids);
  Dim groups = !values ? n.t.unknownSize("k") : values->empty() ? n.t.constant(0) : n.t.constant(values->back() + 1);
  return grouped(n, ids, groups);
}

Outcome countedSegment(RuleNode& n, std::string_view) {
  std::size_t last = n.count() - 1;
  if (!n.node.op.starts_with("Unsorted") && !isVector(n, last - 1)) return Outcome::failed;
  auto count = n.sizes(last);
  Dim groups = count && count->size() == 1 ? count->front() : n.t.unknownSize("k");
  return grouped(n, last - 1, groups);
}

Outcome bincount(RuleNode& n, std::string_view) {
  bool dense = n.node.op == "DenseBincount";
  auto dims = n.dims(0);
  if (!dims && dense) return Outcome::waits;
  auto count = n.sizes(1);
  Dims sizes{count && count->size() == 1 ? count->front() : n.t.unknownSize("k")};
  if (dense && dims->size() == 2) sizes.insert(sizes.begin(), dims->front());
  return giveDims(n, sizes);
}

// Indices come first, then as many tensors of data.
Outcome dynamicStitch(RuleNode& n, std::string_view) {
  std::size_t parts = n.count() / 2;
  std::int64_t count = 0;
  bool known = true;
  std::optional<Dims> rest;
  for (std::size_t i = 0; i < parts; ++i) {
    auto indices = n.dims(i), data = n.dims(parts + i);
    if (indices && data) {
      if (!beginsWith(n, *data, *indices)) return Outcome::failed;
      Dims its;
      append(its, *data, indices->size());
      for (std::size_t k = 0; rest && k < std::min(its.size(), rest->size()); ++k)
        if (!equate(n, its[k], (*rest)[k])) return Outcome::failed;
      if (!rest) rest = std::move(its);
    }
    auto values = n.numbers(i);
    known &= values.has_value();
    if (!values) continue;
    for (std::int64_t at : *values) count = std::max(count, behind(at));
  }
  if (!rest) return Outcome::waits;
  rest->insert(rest->begin(), known ? n.t.constant(count) : n.t.unknownSize("k"));
  return giveDims(n, *rest);
}

Outcome dynamicPartition(RuleNode& n, std::string_view) {
  for (std::size_t port = 0; static_cast<std::int64_t>(port) < n.integer("num_partitions"); ++port) {
    auto dims = n.dims(0), partitions = n.dims(1);
    if (!dims || !partitions) return Outcome::waits;
    if (!beginsWith(n, *dims, *partitions)) return Outcome::failed;
    Dims sizes{n.t.unknownSize("k")};
    append(sizes, *dims, partitions->size());
    if (Outcome made = giveDims(n, sizes, port); made != Outcome::done) return made;
  }
  return Outcome::done;
}

constexpr Rule rows[] = {
    {"Gather", gather},
    {"GatherV2", gather},
    {"GatherNd", gatherNd},
    {"ScatterNd", scatterNd},
    {"TensorScatterUpdate", scatterInto, "scatter_update"},
    {"TensorScatterAdd", scatterInto, "scatter_add"},
    {"TensorScatterSub", scatterInto, "-"},
    {"TensorScatterMax", scatterInto, "scatter_max"},
    {"TensorScatterMin", scatterInto, "scatter_min"},
    {"ScatterNdNonAliasingAdd", likeFirst},
    {"ScatterNdAdd", likeFirst},
    {"ScatterNdSub", likeFirst},
    {"ScatterNdMax", likeFirst},
    {"ScatterNdMin", likeFirst},
    {"ScatterNdUpdate", likeFirst},
    {"ScatterAdd", likeFirst},
    {"ScatterSub", likeFirst},
    {"ScatterMul", likeFirst},
    {"ScatterDiv", likeFirst},
    {"ScatterMax", likeFirst},
    {"ScatterMin", likeFirst},
    {"ScatterUpdate", likeFirst},
    {"InplaceAdd", likeFirst},
    {"InplaceSub", likeFirst},
    {"InplaceUpdate", likeFirst},
    {"SegmentSum", segment},
    {"SegmentMean", segment},
    {"SegmentProd", segment},
    {"SegmentMax", segment},
    {"SegmentMin", segment},
    {"SegmentSumV2", countedSegment},
    {"SegmentProdV2", countedSegment},
    {"SegmentMaxV2", countedSegment},
    {"SegmentMinV2", countedSegment},
    {"SparseSegmentSum", segment},
    {"SparseSegmentMean", segment},
    {"SparseSegmentSqrtN", segment},
    {"SparseSegmentSumWithNumSegments", countedSegment},
    {"SparseSegmentMeanWithNumSegments", countedSegment},
    {"SparseSegmentSqrtNWithNumSegments", countedSegment},
    {"UnsortedSegmentSum", countedSegment},
    {"UnsortedSegmentMax", countedSegment},
    {"UnsortedSegmentMin", countedSegment},
    {"UnsortedSegmentProd", countedSegment},
    {"UnsortedSegmentJoin", countedSegment},
    {"Bincount", bincount},
    {"DenseBincount", bincount},
    {"DynamicStitch", dynamicStitch},
    {"ParallelDynamicStitch", dynamicStitch},
    {"DynamicPartition", dynamicPartition},
};

}  // namespace

std::span<const Rule> gatheringRules() { return rows; }

}  // namespace axle::tensorflow
