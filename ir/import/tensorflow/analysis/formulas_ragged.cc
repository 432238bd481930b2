// Formulas of ragged tensors as TensorFlow has them: values, and where each row of them begins and ends.
#include <algorithm>

#include "ir/import/tensorflow/analysis/formula.h"

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

constexpr FormulaRow rows[] = {
    {"RaggedRange", range},
    {"RaggedGather", gather},
    {"RaggedTensorToTensor", dense},
};

}  // namespace

std::span<const FormulaRow> raggedFormulas() { return rows; }

}  // namespace axle::tensorflow
