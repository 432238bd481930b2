// Formulas of ragged tensors as TensorFlow has them: values, and where each row of them begins and ends; and of sparse
// ones: indices [n, r], values [n], shape [r].
#include <algorithm>

#include "import/tensorflow/operators/formula.h"

namespace axle::tensorflow {
namespace {

// Row splits [rows + 1], i64.
struct Rows {
  Ex splits;
  Dim count;
};

Ex beginOf(Formula& f, const Rows& rows) { return f.sliced(rows.splits, 0, f.dim(0), rows.count); }
Ex lengthOf(Formula& f, const Rows& rows) {
  return f.sliced(rows.splits, 0, f.dim(1), f.plus(rows.count, f.dim(1))) - beginOf(f, rows);
}

Rows rowsOfLengths(Formula& f, Ex lengths, Dim count) {
  Ex ends = f.op("cumsum", {lengths}, {{"axis", f.n.t.integer(0)}});
  return {f.concat({f.full({1}, f.number(0, Elem::i64)), ends}, 0), count};
}

// For all places of the values, one after the other: which row they are of, and which place of that row.
struct Places {
  Ex row, offset;
};

std::optional<Places> placesOf(Formula& f, const Rows& rows) {
  Ex total = f.reduce("amax", rows.splits, {0});
  Ex all = f.op("arange_to", {total}, {{"most", f.n.t.integer(Formula::mostFound(1))}});
  if (!all) return std::nullopt;
  Ex row = f.op("searchsorted", {rows.splits, all}, {{"right", f.n.t.boolean(true)}}) - 1.0;
  return Places{row, all - f.gather(rows.splits, row, 0)};
}

// Of starts, limits and steps each is a vector or stands for all rows.
FormulaResults range(Formula& f) {
  auto made = f.outletDims(0);
  if (!made || made->size() != 1) return {};
  Dim count = f.plus(made->front(), f.dim(-1));
  std::vector<Ex> given;
  for (std::size_t i = 0; i < 3; ++i) given.push_back(f.stretched(f.in(i), {count}));
  Ex way = given[1] - given[0], steps;
  if (info(f.elem(way)).isFloat)
    steps = f.cast(apply("ceil", way / given[2]), Elem::i64);
  else
    steps = -apply("floor_div", -f.cast(way, Elem::i64), f.cast(given[2], Elem::i64));
  Rows rows = rowsOfLengths(f, apply("maximum", steps, f.number(0, Elem::i64)), count);
  auto at = placesOf(f, rows);
  if (!at) return {};
  Ex values = f.gather(given[0], at->row, 0) + f.cast(at->offset, f.elem(way)) * f.gather(given[2], at->row, 0);
  return {f.cast(rows.splits, f.elemOf(f.n.type("Tsplits").value_or(Type::i64))), values};
}

// Whole rows, of one ragged axis.
FormulaResults gather(Formula& f) {
  auto splits = f.dims(std::size_t{0}), indices = f.dims(2);
  if (f.count() != 3 || !splits || splits->size() != 1 || !indices || indices->size() != 1) return {};
  Rows from{f.cast(f.in(0), Elem::i64), f.plus(splits->front(), f.dim(-1))};
  Ex wanted = f.cast(f.in(2), Elem::i64);
  Rows rows = rowsOfLengths(f, f.gather(lengthOf(f, from), wanted, 0), indices->front());
  auto at = placesOf(f, rows);
  if (!at) return {};
  Ex place = f.gather(beginOf(f, from), f.gather(wanted, at->row, 0), 0) + at->offset;
  return {f.cast(rows.splits, f.elem(f.in(0))), f.gather(f.in(1), place, 0)};
}

// The ragged axes, the outermost first: as splits, or as the number of rows and which row each value is of.
std::optional<std::vector<Rows>> partitions(Formula& f) {
  constexpr std::size_t first = 3;
  const Value* types = f.n.attribute("row_partition_types");
  const auto* items = types ? std::get_if<Values>(types) : nullptr;
  if (!items || items->empty() || f.count() != first + items->size()) return std::nullopt;
  auto made = f.outletDims(0);
  std::vector<Rows> all;
  std::optional<Dim> count;  // of the next axis' rows
  for (std::size_t i = 0; i < items->size(); ++i) {
    const auto* kind = std::get_if<std::string>(&(*items)[i]);
    auto dims = f.dims(first + i);
    Ex given = f.cast(f.in(first + i), Elem::i64);
    if (!kind || !dims || !made || made->empty()) return std::nullopt;
    if (*kind == "FIRST_DIM_SIZE") {
      count = f.isOpen(made->front()) ? f.found(given, f.dim(Formula::mostFound(1))) : made->front();
    } else if (*kind == "ROW_SPLITS" && dims->size() == 1) {
      all.push_back({given, f.plus(dims->front(), f.dim(-1))});
    } else if (*kind == "VALUE_ROWIDS" && count && dims->size() == 1) {
      all.push_back(rowsOfLengths(f, f.op("bincount", {given}, {{"count", f.n.t.integer(*count)}}), *count));
      count = dims->front();
    } else {
      return std::nullopt;
    }
  }
  return all;
}

// From the innermost axis out: rows become as long as the longest one, or as the shape says.
FormulaResults dense(Formula& f) {
  auto made = f.outletDims(0), values = f.dims(1);
  auto rows = partitions(f);
  if (!made || !values || values->empty() || !rows || made->size() != rows->size() + values->size()) return {};
  if (rows->empty() || (!f.isOpen(made->front()) && made->front() != rows->front().count)) return {};
  Ex dense = f.in(1), fill = f.in(2);
  Dim count = values->front();
  Dims tail(values->begin() + 1, values->end());
  for (std::size_t axis = rows->size(); axis-- > 0;) {
    const Rows& its = (*rows)[axis];
    Ex length = lengthOf(f, its);
    Dim size = (*made)[axis + 1];
    if (f.isOpen(size)) {
      Ex none = f.full({1}, f.number(0, Elem::i64));
      auto found = f.found(f.reduce("amax", f.concat({length, none}, 0), {0}), count);
      if (!found) return {};
      size = *found;
    }
    Dims one = tail;
    one.insert(one.begin(), f.dim(1));
    Ex all = f.concat({dense, f.stretched(fill, one)}, 0), step = f.expand(f.countTo(size), 0);
    Ex place = f.expand(beginOf(f, its), 1) + step;
    dense = f.gather(all, choose(step < f.expand(length, 1), place, f.numberOf(count)), 0);
    tail.insert(tail.begin(), size);
    count = its.count;
  }
  return {dense};
}

// ---- sparse tensors

// Single numbers are those of one place, vectors those of one axis.
FormulaResults madeDense(Formula& f) {
  auto made = f.sizesBy(0, 1), indices = f.dims(std::size_t{0});
  if (!made || !indices) return {};
  const Dim count = indices->empty() ? f.dim(1) : indices->front();
  Ex places = f.shaped(f.in(0), {count, f.dim(std::ssize(*made))});
  return {f.op("scatter_update", {f.filled(*made, f.in(3)), places, f.stretched(f.in(2), {count})})};
}

// By a dense matrix: rows of it, as many as there are values, each summed to the row that its value stands in.
FormulaResults product(Formula& f) {
  auto made = f.outletDims(0);
  if (!made || made->size() != 2 || isComplex(f.n.fact(1).type)) return {};
  const std::int64_t rows = f.n.flag("adjoint_a") ? 1 : 0;
  std::optional<Dim> count = made->front();
  if (f.isOpen(*count)) count = f.found(f.at(f.in(2), 0, rows), f.dim(Formula::mostFound(1)));
  if (!count) return {};
  Ex other = f.n.flag("adjoint_b") ? f.swapped(f.in(3)) : f.in(3);
  Ex terms = f.expand(f.in(1), 1) * f.gather(other, f.at(f.in(0), 1, 1 - rows), 0);
  return {f.op("segment_sum", {terms, f.at(f.in(0), 1, rows)}, {{"count", f.n.t.integer(*count)}})};
}

// Over the axes that the fourth input lists: values of one place of the others are together.
FormulaResults reduced(Formula& f) {
  auto sizes = f.n.sizes(2);
  auto axes = f.n.numbers(3);
  auto made = f.outletDims(0);
  if (!sizes || !axes || !made || sizes->empty() || isComplex(f.n.fact(1).type)) return {};
  const auto rank = std::ssize(*sizes);
  std::vector<bool> isGone(sizes->size());
  for (std::int64_t axis : *axes) {
    if (axis < -rank || axis >= rank) return {};
    isGone[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  Ex place = f.cast(f.at(f.in(0), 1, 0), Elem::i64) * 0.0;
  Dim count = f.dim(1);
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    if (isGone[i]) continue;
    if (f.isOpen((*sizes)[i])) return {};
    place = place * f.numberOf((*sizes)[i]) + f.cast(f.at(f.in(0), 1, static_cast<std::int64_t>(i)), Elem::i64);
    count = f.times(count, (*sizes)[i]);
  }
  const bool isMax = f.n.node.op == "SparseReduceMax";
  const StaticId groups = f.n.t.integer(count);
  Ex all = f.op(isMax ? "segment_max" : "segment_sum", {f.in(1), place}, {{"count", groups}});
  if (isMax) all = choose(f.op("bincount", {place}, {{"count", groups}}) == 0.0, 0, all);
  return {f.shaped(all, *made)};
}

// The best class of each step, without blanks and, if so asked, without what repeats the step before: [steps, batch,
// classes] as a sparse tensor of rows, its shape, and how unlikely all of it is.
FormulaResults decoded(Formula& f) {
  auto dims = f.dims(std::size_t{0});
  if (!dims || dims->size() != 3) return {};
  const Dim steps = (*dims)[0], rows = (*dims)[1];
  const std::int64_t blank = f.n.integer("blank_index", -1);
  Ex scores = f.transpose(f.in(0), {1, 0, 2}), most = f.reduce("amax", scores, {2});
  Ex best = f.op("argmax", {scores}, {{"axis", f.n.t.integer(2)}});
  Ex isWithin = f.expand(f.countTo(steps), 0) < f.expand(f.cast(f.in(1), Elem::i64), 1);
  Ex none =
      blank < 0 ? f.numberOf((*dims)[2]) + static_cast<double>(blank) : f.number(static_cast<double>(blank), Elem::i64);
  Ex isKept = isWithin && best != none;
  if (f.n.flag("merge_repeated")) {
    Ex before = f.filled({rows, f.dim(1)}, f.number(-1, Elem::i64));
    isKept = isKept && best != f.sliced(f.concat({before, best}, 1), 1, f.dim(0), steps);
  }
  Ex kept = f.cast(isKept, Elem::i64), places = f.op("nonzero", {isKept});
  Ex number = f.op("cumsum", {kept}, {{"axis", f.n.t.integer(1)}}) - 1.0;
  Ex indices = f.stack({f.at(places, 1, 0), f.op("gather_nd", {number, places})}, 1);
  Ex lengths = f.concat({f.reduce("sum", kept, {1}), f.full({1}, f.number(0, Elem::i64))}, 0);
  Ex shape = f.stack({f.numberOf(rows), f.reduce("amax", lengths, {0})}, 0);
  return {indices, f.op("gather_nd", {best, places}), shape, -f.reduce("sum", choose(isWithin, most, 0), {1}, true)};
}

constexpr FormulaRow rows[] = {
    {"RaggedRange", range},
    {"RaggedGather", gather},
    {"RaggedTensorToTensor", dense},
    {"SparseToDense", madeDense},
    {"SparseTensorDenseMatMul", product},
    {"SparseReduceSum", reduced},
    {"SparseReduceMax", reduced},
    {"CTCGreedyDecoder", decoded},
};

}  // namespace

std::span<const FormulaRow> raggedFormulas() { return rows; }

}  // namespace axle::tensorflow
