// Formulas of operators that make and rearrange arrays.
#include <algorithm>
#include <numeric>

#include "import/tensorflow/operators/formula.h"

namespace axle::tensorflow {
namespace {

Elem unsignedOf(std::size_t bytes) {
  return bytes == 1 ? Elem::u8 : bytes == 2 ? Elem::u16 : bytes == 4 ? Elem::u32 : Elem::u64;
}

// Elements as their bytes lie in memory, the lowest first. Of complex numbers the parts are elements.
FormulaResults bitcast(Formula& f) {
  auto to = f.n.type("type");
  if (!to || !info(*to).element) return {};
  Ex value = f.in(0);
  const std::size_t from = info(f.elem(value)).bytes, width = info(*to).bytes;
  if (from == 0 || width == 0 || isComplex(f.n.fact(0).type) || isComplex(*to)) return {};
  Elem wanted = f.elemOf(*to);
  if (from == width) return {f.bitcast(value, wanted)};
  const std::size_t parts = std::max(from, width) / std::min(from, width), bits = 8 * std::min(from, width);
  Elem whole = unsignedOf(std::max(from, width)), part = unsignedOf(std::min(from, width));
  auto shift = [&](std::size_t i) { return f.number(static_cast<double>(i * bits), whole); };
  if (from > width) {
    Ex all = f.bitcast(value, whole), mask = f.number(static_cast<double>((std::uint64_t{1} << bits) - 1), whole);
    std::vector<Ex> pieces;
    for (std::size_t i = 0; i < parts; ++i)
      pieces.push_back(f.cast(apply("bit_and", apply("shift_right", all, shift(i)), mask), part));
    return {f.bitcast(f.stack(pieces, -1), wanted)};
  }
  Ex pieces = f.cast(f.bitcast(value, part), whole), all;
  for (std::size_t i = 0; i < parts; ++i) {
    Ex piece = apply("shift_left", f.at(pieces, -1, static_cast<std::int64_t>(i)), shift(i));
    all = i ? apply("bit_or", all, piece) : piece;
  }
  return {f.bitcast(all, wanted)};
}

// How many whole steps there are: a number that the run finds.
Ex stepsOf(Ex start, Ex limit, Ex step) {
  Formula& f = *start.formula;
  Ex way = limit - start;
  if (info(f.elem(start)).isFloat) return f.cast(apply("ceil", way / step), Elem::i64);
  return -apply("floor_div", -f.cast(way, Elem::i64), f.cast(step, Elem::i64));
}

// Up and down, of any numbers: the start and whole steps.
FormulaResults range(Formula& f) {
  auto made = f.outletDims(0);
  if (!made || made->size() != 1) return {};
  Ex start = f.in(0), step = f.in(2), places;
  if (f.isOpen(made->front()))
    places = f.op("arange_to", {stepsOf(start, f.in(1), step)}, {{"most", f.n.t.integer(Formula::mostFound(1))}});
  else
    places = f.countTo(made->front());
  return {start + f.cast(places, f.elem(start)) * step};
}

FormulaResults where(Formula& f) { return {f.op("nonzero", {f.in(0)})}; }

// Of a permutation where each place went: the order that sorts it.
FormulaResults invertPermutation(Formula& f) { return {f.cast(f.op("argsort", {f.in(0)}), f.elem(f.in(0)))}; }

FormulaResults fill(Formula& f) {
  auto made = f.sizesBy(0, 0);
  if (!made) return {};
  return {f.filled(*made, f.in(1))};
}

FormulaResults broadcastTo(Formula& f) {
  auto made = f.sizesBy(0, 1);
  if (!made) return {};
  return {f.stretched(f.in(0), *made)};
}

// As often along each axis as a number says that the run computes.
FormulaResults tile(Formula& f) {
  auto sizes = f.dims(std::size_t{0}), made = f.outletDims(0);
  if (!sizes || !made || sizes->size() != made->size()) return {};
  Ex value = f.in(0);
  std::size_t open = 0;
  for (Dim d : *made) open += f.isOpen(d);
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    if ((*sizes)[i] == (*made)[i]) continue;
    Ex size = f.numberOf((*sizes)[i]), places;
    if (f.isOpen((*made)[i])) {
      Ex count = f.cast(f.at(f.in(1), 0, static_cast<std::int64_t>(i)), Elem::i64) * size;
      places = f.op("arange_to", {count}, {{"most", f.n.t.integer(Formula::mostFound(open))}});
    } else {
      places = f.countTo((*made)[i]);
    }
    value = f.gather(value, apply("%", places, size), static_cast<std::int64_t>(i));
  }
  return {value};
}

// To sizes that the run computes, one of them perhaps -1. Sizes that do not fit the elements' number end the run.
FormulaResults reshape(Formula& f) {
  auto sizes = f.dims(std::size_t{0}), made = f.outletDims(0), given = f.dims(1);
  if (!sizes || !made || !given || given->size() != 1) return {};
  Dim all = f.productOf(*sizes);
  Ex total = f.numberOf(all), shape = f.cast(f.in(1), Elem::i64);
  Ex others = f.reduce("prod", choose(shape < 0.0, 1, shape), {0});
  Ex rest = apply("floor_div", total, apply("maximum", others, f.like(1, others)));
  shape = choose(shape < 0.0, rest, shape);
  std::size_t open = 0;
  for (Dim d : *made) open += f.isOpen(d);
  for (std::size_t i = 0; i < made->size(); ++i) {
    if (!f.isOpen((*made)[i])) continue;
    auto size = f.found(f.at(shape, 0, static_cast<std::int64_t>(i)),
                        open == 1 ? f.plus(all, f.dim(1)) : f.dim(Formula::mostFound(open)));
    if (!size) return {};
    (*made)[i] = *size;
  }
  Dim count = f.productOf(*made);
  constexpr double nowhere = 1e15;
  Ex places = f.countTo(count) + choose(f.numberOf(count) == total, 0, f.number(nowhere, Elem::i64));
  return {f.shaped(f.gather(f.shaped(f.in(0), {all}), places, 0), *made)};
}

FormulaResults rank(Formula& f) {
  auto sizes = f.n.rank(0);
  if (!sizes) return {};
  return {f.integers(Type::i32, {}, {static_cast<std::int64_t>(*sizes)})};
}

// Rows that the indices of all inputs name, the last one where several do.
FormulaResults dynamicStitch(Formula& f) {
  auto made = f.outletDims(0);
  if (!made || made->empty()) return {};
  const std::size_t parts = f.count() / 2;
  std::vector<Ex> places, rows;
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
  Ex all = f.concat(places, 0);
  if (f.isOpen(made->front())) {
    Ex none = f.full({1, 1}, f.like(-1, all));
    auto size = f.found(f.reduce("amax", f.concat({all, none}, 0), {0, 1}) + 1.0, most);
    if (!size) return {};
    made->front() = *size;
  }
  return {f.op("scatter_update", {f.filled(*made, f.like(0, rows[0])), all, f.concat(rows, 0)})};
}

// Updates are added up where they meet, over zeros.
FormulaResults scatterNd(Formula& f) {
  auto made = f.sizesBy(0, 2);
  if (!made) return {};
  return {f.op("scatter_add", {f.filled(*made, f.like(0, f.in(1))), f.in(0), f.in(1)})};
}

// What a variable becomes. Of whole rows the updates may be one number.
FormulaResults scatterInto(Formula& f) {
  const bool byRows = f.n.node.op.starts_with("ScatterNd");
  const std::string way = f.n.node.op.substr(byRows ? 9 : 7);
  Ex places = f.in(1), updates = f.in(2);
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

FormulaResults gatherNd(Formula& f) { return {f.op("gather_nd", {f.in(0), f.in(1)})}; }

// The leading axes of both are one batch: as if each place named its batch too.
FormulaResults gatherBatches(Formula& f) {
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
  Ex data = f.transpose(f.shaped(f.in(0), {batch, before, size, after}), {0, 2, 1, 3});
  data = f.shaped(data, {f.times(batch, size), before, after});
  Ex starts = f.expand(f.countTo(batch) * f.numberOf(size), -1);
  Ex places = f.cast(f.shaped(f.in(1), {batch, many}), Elem::i64) + starts;
  Ex found = f.transpose(f.gather(data, places, 0), {0, 2, 1, 3});
  return {f.shaped(found, *made)};
}

// Places of what falls in each part, in order, found when it runs.
FormulaResults dynamicPartition(Formula& f) {
  auto dims = f.sizes(0), its = f.sizes(1);
  if (!dims || !its || its->size() > dims->size()) return {};
  std::int64_t count = std::accumulate(its->begin(), its->end(), std::int64_t{1}, std::multiplies<>());
  Sizes shape{count};
  shape.insert(shape.end(), dims->begin() + static_cast<std::ptrdiff_t>(its->size()), dims->end());
  Ex data = f.reshape(f.in(0), shape), parts = f.reshape(f.in(1), {count});
  FormulaResults results;
  for (std::int64_t i = 0; i < f.n.integer("num_partitions"); ++i)
    results.push_back(f.gather(data, f.squeeze(f.op("nonzero", {parts == static_cast<double>(i)}), 1), 0));
  return results;
}

FormulaResults topK(Formula& f) {
  auto made = f.outletSizes(0);
  if (!made || made->empty()) return {};
  auto found =
      f.parts("top_k", {f.in(0)}, {{"k", f.n.t.integer(made->back())}, {"sorted", f.n.t.boolean(f.n.flag("sorted"))}});
  if (found.size() != 2) return {};
  return {found[0], f.cast(found[1], Elem::i32)};
}

constexpr FormulaRow rows[] = {
    {"ScatterAdd", scatterInto},
    {"ScatterSub", scatterInto},
    {"ScatterMul", scatterInto},
    {"ScatterDiv", scatterInto},
    {"ScatterMax", scatterInto},
    {"ScatterMin", scatterInto},
    {"ScatterUpdate", scatterInto},
    {"ScatterNdAdd", scatterInto},
    {"ScatterNdSub", scatterInto},
    {"ScatterNdMax", scatterInto},
    {"ScatterNdMin", scatterInto},
    {"ScatterNdUpdate", scatterInto},
    {"Bitcast", bitcast},
    {"Range", range},
    {"Where", where},
    {"InvertPermutation", invertPermutation},
    {"Fill", fill},
    {"BroadcastTo", broadcastTo},
    {"Tile", tile},
    {"Reshape", reshape},
    {"Rank", rank},
    {"DynamicStitch", dynamicStitch},
    {"ParallelDynamicStitch", dynamicStitch},
    {"ScatterNd", scatterNd},
    {"GatherNd", gatherNd},
    {"GatherV2", gatherBatches},
    {"DynamicPartition", dynamicPartition},
    {"TopKV2", topK},
};

}  // namespace

std::span<const FormulaRow> arrayFormulas() { return rows; }

}  // namespace axle::tensorflow
