// Operators that take and put parts at indices that are data: gathers, scatters, partitions.
#include <algorithm>
#include <numeric>

#include "import/tensorflow/operators/complex_numbers.h"
#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"
#include "import/tensorflow/problems.h"

namespace axle::tensorflow::gathering {
namespace {

constexpr Message<arg::Name, arg::Number, arg::Number> placeBeyondAxis{codes::nodeMisfit,
                                                                       "{} takes from place {} of an axis of size {}"};

// Reports a known index that is outside of an axis. Returns false after an error.
bool liesWithin(RuleNode& n, const std::vector<std::int64_t>& places, Dim size) {
  auto count = n.t.solution().dims.asConstant(size);
  if (!count || !n.runsAlways) return true;
  auto beyond = std::find_if(places.begin(), places.end(), [&](std::int64_t at) { return at < 0 || at >= *count; });
  if (beyond == places.end()) return true;
  Diagnostic d(placeBeyondAxis, n.places.op, n.opName(), arg::Number{*beyond}, arg::Number{*count});
  d.setLabel(*count == 0 ? Phrase("it has none") : Phrase("its places are 0 to {}", arg::Number{*count - 1}));
  n.t.tell(std::move(d));
  return false;
}

constexpr Message<arg::Name, arg::Number, arg::Number> tooManyBatchAxes{
    codes::nodeMisfit, "{} has {} batch axes, but not that many before its axis {}", "this `batch_dims`"};

// Types a gather whose inputs share `batch_dims` leading axes.
Outcome gatherBatches(RuleNode& n, std::int64_t axis, std::int64_t batches) {
  auto dims = n.dims(0), indices = n.dims(1);
  if (!dims || !indices) return Outcome::waits;
  if (batches < 0) batches += static_cast<std::int64_t>(indices->size());
  auto at = axisWithin(n, axis, dims->size());
  if (!at) return Outcome::failed;
  auto batch = static_cast<std::size_t>(batches);
  if (batches < 0 || batch > *at || batch > indices->size())
    return n.fail(tooManyBatchAxes, n.opName(), arg::Number{batches}, arg::Number{*at});
  for (std::size_t i = 0; i < batch; ++i)
    if (!n.equate((*dims)[i], (*indices)[i])) return Outcome::failed;
  Dims sizes(dims->begin(), dims->begin() + static_cast<std::ptrdiff_t>(*at));
  appendFrom(sizes, *indices, batch);
  appendFrom(sizes, *dims, *at + 1);
  return giveDims(n, sizes);
}

Outcome gatherType(RuleNode& n, std::string_view) {
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

// Returns the number of axes that a row of indices addresses. None if it is not known yet.
std::optional<std::size_t> depthOf(RuleNode& n, std::size_t indices) {
  auto dims = n.dims(indices);
  if (!dims || dims->empty()) return std::nullopt;
  auto depth = n.t.solution().dims.asConstant(dims->back());
  return depth ? std::optional(static_cast<std::size_t>(*depth)) : std::nullopt;
}

constexpr Message<arg::Name, arg::Number, arg::Number> indicesTooLong{
    codes::nodeMisfit, "{} has indices of {} axes for a tensor of rank {}", "here"};

Outcome gatherNdType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0), indices = n.dims(1);
  auto depth = depthOf(n, 1);
  if (!dims || !depth) return Outcome::waits;
  if (*depth > dims->size()) return n.fail(indicesTooLong, n.opName(), arg::Number{*depth}, arg::Number{dims->size()});
  auto places = n.numbers(1);
  for (std::size_t axis = 0; places && axis < *depth; ++axis) {
    std::vector<std::int64_t> along;
    for (std::size_t i = axis; i < places->size(); i += *depth) along.push_back((*places)[i]);
    if (!liesWithin(n, along, (*dims)[axis])) return Outcome::failed;
  }
  Dims sizes(indices->begin(), indices->end() - 1);
  appendFrom(sizes, *dims, *depth);
  return giveDims(n, sizes);
}

bool isNumber(const RuleNode& n, std::size_t i) {
  return n.fact(i).type != Type::boolean && n.fact(i).type != Type::string;
}

// Adds updates to zeros; updates with the same index add up.
Outcome scatterNdType(RuleNode& n, std::string_view) {
  auto sizes = n.sizes(2);
  if (!sizes) return Outcome::waits;
  auto said = n.known(2);
  const bool isClosed =
      said && std::all_of(said->elements.begin(), said->elements.end(), [&](Dim d) { return isSize(n, d); });
  if (!isClosed || !depthOf(n, 0) || !isNumber(n, 1)) return giveDims(n, *sizes);
  auto zeros = n.op("zeros", {}, {{"dims", n.t.list(*sizes)}});
  return n.give(zeros ? n.op("scatter_add", {*zeros, n.in(0), n.in(1)}) : zeros);
}

// Gives the new value of a variable whose rows change: updates have the shape of the indices followed by that of a row,
// or are one number.
Outcome scatterRowsType(RuleNode& n, std::string_view) {
  const auto variable = n.dims(0), updates = n.dims(2);
  if (variable && !variable->empty() && updates && !updates->empty() && updates->size() + 1 >= variable->size()) {
    const auto indices = static_cast<std::ptrdiff_t>(updates->size() + 1 - variable->size());
    if (!requireDims(n, 1, Dims(updates->begin(), updates->begin() + indices), n.places.inputs[1]))
      return Outcome::failed;
  }
  return giveLike(n, 0);
}

Outcome scatterIntoType(RuleNode& n, std::string_view core) {
  if (!n.rank(0) || !depthOf(n, 1)) return giveLike(n, 0);
  std::optional<TypedId> updates = n.in(2);
  if (core == "-") {
    updates = n.op("-", {*updates});
    core = "scatter_add";
  }
  return n.give(updates ? n.op(core, {n.in(0), n.in(1), *updates}) : updates);
}

// Returns the size of an axis whose last index is `id`.
std::int64_t behind(std::int64_t id) { return std::clamp<std::int64_t>(id, -1, INT64_MAX - 1) + 1; }

// The inputs are all the indices, then as many tensors of data.
Outcome dynamicStitchType(RuleNode& n, std::string_view) {
  std::size_t parts = n.count() / 2;
  std::int64_t count = 0;
  bool known = true;
  std::optional<Dims> rest;
  for (std::size_t i = 0; i < parts; ++i) {
    auto indices = n.dims(i), data = n.dims(parts + i);
    if (indices && data) {
      if (!beginsWith(n, *data, *indices)) return Outcome::failed;
      Dims its;
      appendFrom(its, *data, indices->size());
      for (std::size_t k = 0; rest && k < std::min(its.size(), rest->size()); ++k)
        if (!n.equate(its[k], (*rest)[k])) return Outcome::failed;
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

Outcome dynamicPartitionType(RuleNode& n, std::string_view) {
  for (std::size_t port = 0; static_cast<std::int64_t>(port) < n.integer("num_partitions"); ++port) {
    auto dims = n.dims(0), partitions = n.dims(1);
    if (!dims || !partitions) return Outcome::waits;
    if (!beginsWith(n, *dims, *partitions)) return Outcome::failed;
    Dims sizes{n.t.unknownSize("k")};
    appendFrom(sizes, *dims, partitions->size());
    if (Outcome made = giveDims(n, sizes, port); made != Outcome::done) return made;
  }
  return Outcome::done;
}

// ---- values

std::optional<Known> gatherValue(const RuleNode& n) {
  auto a = n.knownVector(0);
  auto indices = n.known(1);
  auto at = n.numbers(1);
  if (!a || a->shape.size() != 1 || !at || n.integer("batch_dims") != 0) return std::nullopt;
  if (n.count() > 2 && n.number(2) != 0) return std::nullopt;
  Known out{indices->shape, {}};
  for (std::int64_t i : *at) {
    if (i < 0 || i >= a->count()) return std::nullopt;
    out.elements.push_back(a->elements[static_cast<std::size_t>(i)]);
  }
  return out;
}

// Follows vectors whose indices cover every position.
std::optional<Known> dynamicStitchValue(const RuleNode& n) {
  std::size_t parts = n.count() / 2;
  Dims out;
  std::vector<bool> filled;
  for (std::size_t i = 0; i < parts; ++i) {
    auto indices = n.numbers(i);
    auto data = n.knownVector(parts + i);
    if (!indices || !data || indices->size() != data->elements.size()) return std::nullopt;
    for (std::size_t k = 0; k < indices->size(); ++k) {
      std::int64_t at = (*indices)[k];
      if (at < 0 || at >= mostKnown) return std::nullopt;
      auto place = static_cast<std::size_t>(at);
      if (place >= out.size()) {
        out.resize(place + 1, n.t.constant(0));
        filled.resize(place + 1, false);
      }
      out[place] = data->elements[k];
      filled[place] = true;
    }
  }
  if (std::find(filled.begin(), filled.end(), false) != filled.end()) return std::nullopt;
  return Known::vector(std::move(out));
}

// ---- formulas

// Writes the rows at the indices of all inputs; of several rows for one index, the last counts.
FormulaResults dynamicStitchFormula(NodeFormula& f) {
  auto made = f.outletDims(0);
  if (!made || made->empty()) return {};
  const std::size_t parts = f.count() / 2;
  std::vector<Expr> places, rows;
  Dim most = f.dim(0);
  for (std::size_t i = 0; i < parts; ++i) {
    auto indices = f.dims(i);
    if (!indices) return {};
    Dim count = f.productOf(*indices);
    Dims shape{count};
    shape.insert(shape.end(), made->begin() + 1, made->end());
    places.push_back(f.shaped(f.in(i), {count, f.dim(1)}));
    rows.push_back(f.shaped(f.in(parts + i), shape));
    most = f.plus(most, count);
  }
  Expr all = f.concat(places, 0);
  if (f.isOpen(made->front())) {
    Expr none = f.full({1, 1}, f.like(-1, all));
    auto size = f.found(f.reduce("amax", f.concat({all, none}, 0), {0, 1}) + 1.0, most);
    if (!size) return {};
    made->front() = *size;
  }
  return {f.op("scatter_update", {f.filled(*made, f.like(0, rows[0])), all, f.concat(rows, 0)})};
}

// Adds updates to zeros; updates with the same index add up.
FormulaResults scatterNdFormula(NodeFormula& f) {
  auto made = f.sizesBy(0, 2);
  if (!made) return {};
  return {f.op("scatter_add", {f.filled(*made, f.like(0, f.in(1))), f.in(0), f.in(1)})};
}

// Computes the new value of a variable. Updates of whole rows may be one number.
FormulaResults scatterIntoFormula(NodeFormula& f) {
  const bool byRows = f.n.node.op.starts_with("ScatterNd");
  const std::string way = f.n.node.op.substr(byRows ? 9 : 7);
  Expr places = f.in(1), updates = f.in(2);
  if (!byRows) {
    auto its = f.dims(0), shape = f.dims(1);
    if (!its || !shape || its->empty()) return {};
    shape->insert(shape->end(), its->begin() + 1, its->end());
    updates = f.stretched(updates, *shape);
    places = f.expand(places, -1);
  }
  std::string core = "scatter_update";
  if (way == "Add" || way == "Sub") core = "scatter_add";
  if (way == "Mul" || way == "Div") core = "scatter_mul";
  if (way == "Max") core = "scatter_max";
  if (way == "Min") core = "scatter_min";
  if (way == "Sub") updates = -updates;
  if (way == "Div" && !info(f.elem(updates)).isFloat) return {};
  if (way == "Div") updates = f.like(1, updates) / updates;
  return {f.op(core, {f.in(0), places, updates})};
}

FormulaResults gatherNdFormula(NodeFormula& f) { return {f.op("gather_nd", {f.in(0), f.in(1)})}; }

// Gathers with indices that include the position in the batch.
FormulaResults gatherBatchesFormula(NodeFormula& f) {
  auto dims = f.dims(0), its = f.dims(1), made = f.outletDims(0);
  auto axis = f.count() > 2 ? f.n.number(2) : 0;
  std::int64_t batches = f.n.integer("batch_dims");
  if (!dims || !its || !made || !axis) return {};
  if (batches < 0) batches += static_cast<std::int64_t>(its->size());
  if (*axis < 0) *axis += static_cast<std::int64_t>(dims->size());
  if (batches < 1 || *axis < batches) return {};
  // [batch, before, n, after] and [batch, k]: one gather over batch*n rows.
  const auto at = static_cast<std::size_t>(*axis), shared = static_cast<std::size_t>(batches);
  const Dim batch = f.productOf(*dims, 0, shared), before = f.productOf(*dims, shared, at);
  const Dim size = (*dims)[at], after = f.productOf(*dims, at + 1), many = f.productOf(*its, shared);
  Expr data = f.transpose(f.shaped(f.in(0), {batch, before, size, after}), {0, 2, 1, 3});
  data = f.shaped(data, {f.times(batch, size), before, after});
  Expr starts = f.expand(f.countTo(batch) * f.numberOf(size), -1);
  Expr places = f.cast(f.shaped(f.in(1), {batch, many}), Elem::i64) + starts;
  Expr found = f.transpose(f.gather(data, places, 0), {0, 2, 1, 3});
  return {f.shaped(found, *made)};
}

// Gathers, for each partition, the rows that belong to it, in order.
FormulaResults dynamicPartitionFormula(NodeFormula& f) {
  auto dims = f.sizes(0), its = f.sizes(1);
  if (!dims || !its || its->size() > dims->size()) return {};
  std::int64_t count = std::accumulate(its->begin(), its->end(), std::int64_t{1}, std::multiplies<>());
  Sizes shape{count};
  shape.insert(shape.end(), dims->begin() + static_cast<std::ptrdiff_t>(its->size()), dims->end());
  Expr data = f.reshape(f.in(0), shape), parts = f.reshape(f.in(1), {count});
  FormulaResults results;
  for (std::int64_t i = 0; i < f.n.integer("num_partitions"); ++i)
    results.push_back(f.gather(data, f.squeeze(f.op("nonzero", {parts == static_cast<double>(i)}), 1), 0));
  return results;
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                      type                   value                formula
    {"Gather",                   gatherType,            gatherValue},
    {"GatherV2",                 gatherType,            gatherValue,         {byPartsFormula, gatherBatchesFormula}},
    {"GatherNd",                 gatherNdType,          {},                  {byPartsFormula, gatherNdFormula}},
    {"ScatterNd",                scatterNdType,         {},                  scatterNdFormula},
    {"TensorScatterUpdate",      {scatterIntoType, "scatter_update"}},
    {"TensorScatterAdd",         {scatterIntoType, "scatter_add"}},
    {"TensorScatterSub",         {scatterIntoType, "-"}},
    {"TensorScatterMax",         {scatterIntoType, "scatter_max"}},
    {"TensorScatterMin",         {scatterIntoType, "scatter_min"}},
    {"ScatterNdNonAliasingAdd",  likeFirstInput},
    {"ScatterNdAdd",             likeFirstInput,        {},                  scatterIntoFormula},
    {"ScatterNdSub",             likeFirstInput,        {},                  scatterIntoFormula},
    {"ScatterNdMax",             likeFirstInput,        {},                  scatterIntoFormula},
    {"ScatterNdMin",             likeFirstInput,        {},                  scatterIntoFormula},
    {"ScatterNdUpdate",          likeFirstInput,        {},                  scatterIntoFormula},
    {"ScatterAdd",               scatterRowsType,       {},                  scatterIntoFormula},
    {"ScatterSub",               scatterRowsType,       {},                  scatterIntoFormula},
    {"ScatterMul",               scatterRowsType,       {},                  scatterIntoFormula},
    {"ScatterDiv",               scatterRowsType,       {},                  scatterIntoFormula},
    {"ScatterMax",               scatterRowsType,       {},                  scatterIntoFormula},
    {"ScatterMin",               scatterRowsType,       {},                  scatterIntoFormula},
    {"ScatterUpdate",            scatterRowsType,       {},                  scatterIntoFormula},
    {"InplaceAdd",               likeFirstInput},
    {"InplaceSub",               likeFirstInput},
    {"InplaceUpdate",            likeFirstInput},
    {"DynamicStitch",            dynamicStitchType,     dynamicStitchValue,  dynamicStitchFormula},
    {"ParallelDynamicStitch",    dynamicStitchType,     dynamicStitchValue,  dynamicStitchFormula},
    {"DynamicPartition",         dynamicPartitionType,  {},                  dynamicPartitionFormula},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::gathering
