// Formulas of operators on blocks of images and on diagonals.
#include <algorithm>
#include <numeric>

#include "import/tensorflow/operators/formula.h"

namespace axle::tensorflow {
namespace {

// ---- blocks

struct Blocks {
  Dims image, made;  // the sizes of the input, of what is given
  Sizes sizes;       // of the blocks, by axis
  Dims edges;        // before and after each blocked axis
};

std::optional<Blocks> blocksOf(Formula& f) {
  auto image = f.dims(0), made = f.outletDims(0);
  bool any = f.n.node.op.ends_with("ND");
  std::int64_t size = f.n.integer("block_size", 1);
  auto sizes = any ? f.n.numbers(1) : std::optional(Sizes{size, size});
  auto edges = f.n.known(any ? 2 : 1);
  if (!image || !made || !sizes || !edges || edges->elements.size() != 2 * sizes->size() ||
      image->size() < sizes->size() + 1 || made->size() != image->size())
    return std::nullopt;
  for (std::int64_t its : *sizes)
    if (its < 1) return std::nullopt;
  return Blocks{*image, *made, *sizes, edges->elements};
}

// Each padded axis as [pieces, size]; the places in the blocks go before the batch.
FormulaResults spaceToBatch(Formula& f) {
  auto b = blocksOf(f);
  if (!b) return {};
  const std::size_t axes = b->sizes.size(), rank = b->image.size();
  std::vector<StaticId> pads(rank, f.n.t.list(Sizes{0, 0}));
  Dims cut{b->image[0]};
  Sizes order;
  for (std::size_t i = 0; i < axes; ++i) {
    pads[i + 1] = f.n.t.list(Dims{b->edges[2 * i], b->edges[2 * i + 1]});
    cut.push_back(b->made[i + 1]);
    cut.push_back(f.dim(b->sizes[i]));
    order.push_back(static_cast<std::int64_t>(2 * i + 2));
  }
  order.push_back(0);
  for (std::size_t i = 0; i < axes; ++i) order.push_back(static_cast<std::int64_t>(2 * i + 1));
  for (std::size_t i = axes + 1; i < rank; ++i) {
    order.push_back(static_cast<std::int64_t>(i + axes));
    cut.push_back(b->image[i]);
  }
  Ex padded = f.op("pad", {f.in(0)}, {{"pads", f.n.t.list(std::move(pads))}});
  return {f.shaped(f.transpose(f.shaped(padded, cut), order), b->made)};
}

FormulaResults batchToSpace(Formula& f) {
  auto b = blocksOf(f);
  if (!b) return {};
  const std::size_t axes = b->sizes.size(), rank = b->image.size();
  Dims cut, out{b->made[0]};
  Sizes order{static_cast<std::int64_t>(axes)};
  for (std::int64_t size : b->sizes) cut.push_back(f.dim(size));
  cut.push_back(out[0]);
  cut.insert(cut.end(), b->image.begin() + 1, b->image.end());
  for (std::size_t i = 0; i < axes; ++i) {
    order.push_back(static_cast<std::int64_t>(axes + 1 + i));
    order.push_back(static_cast<std::int64_t>(i));
    out.push_back(f.times(b->image[i + 1], f.dim(b->sizes[i])));
  }
  for (std::size_t i = axes + 1; i < rank; ++i) {
    order.push_back(static_cast<std::int64_t>(axes + i));
    out.push_back(b->image[i]);
  }
  Ex image = f.shaped(f.transpose(f.shaped(f.in(0), cut), order), out);
  for (std::size_t i = 0; i < axes; ++i)
    if (f.number(b->edges[2 * i]) != 0 || f.number(b->edges[2 * i + 1]) != 0)
      image =
          f.sliced(image, static_cast<std::int64_t>(i + 1), b->edges[2 * i], f.plus(b->edges[2 * i], b->made[i + 1]));
  return {image};
}

// ---- diagonals

FormulaResults bandPart(Formula& f) {
  auto sizes = f.dims(0);
  if (!sizes || sizes->size() < 2) return {};
  Ex rows = f.expand(f.countTo((*sizes)[sizes->size() - 2]), 1), columns = f.expand(f.countTo(sizes->back()), 0);
  Ex low = f.cast(f.in(1), Elem::i64), high = f.cast(f.in(2), Elem::i64);
  Ex kept = (low < 0.0 || rows - columns <= low) && (high < 0.0 || columns - rows <= high);
  return {choose(kept, f.in(0), 0)};
}

// Which diagonals there are, from `low` to `high`, and on which side the shorter ones end.
struct Diagonals {
  std::int64_t low = 0, high = 0;
  bool lowLeft = true, highLeft = true;
};

std::optional<Diagonals> diagonalsOf(Formula& f, std::size_t input) {
  Diagonals d;
  if (f.count() > input) {
    auto k = f.n.numbers(input);
    if (!k || k->empty()) return std::nullopt;
    d.low = k->front();
    d.high = k->back();
  }
  std::string align = f.n.text("align");
  if (f.n.node.op.ends_with("V3") && align.empty()) align = "RIGHT_LEFT";
  d.highLeft = !align.starts_with("RIGHT");
  d.lowLeft = !align.ends_with("RIGHT");
  return d;
}

// Where the diagonals' elements stand in matrices of that size: for each its place in [m, n], -1 where there is none.
std::vector<std::int64_t> placesOf(const Diagonals& d, std::int64_t rows, std::int64_t columns, std::int64_t length) {
  std::vector<std::int64_t> places;
  for (std::int64_t k = d.high; k >= d.low; --k) {
    std::int64_t row = std::max<std::int64_t>(-k, 0), column = std::max<std::int64_t>(k, 0);
    std::int64_t its = std::max<std::int64_t>(std::min(rows - row, columns - column), 0);
    bool left = (k >= 0 && d.highLeft) || (k <= 0 && d.lowLeft);
    std::int64_t shift = left ? 0 : length - its;
    for (std::int64_t i = 0; i < length; ++i) {
      std::int64_t at = i - shift;
      places.push_back(at >= 0 && at < its ? (row + at) * columns + column + at : -1);
    }
  }
  return places;
}

// `dims` with other sizes for the last two.
Dims withTail(Formula& f, const Dims& dims, std::int64_t tail) {
  Dims out(dims.begin(), dims.end() - 2);
  out.push_back(f.dim(tail));
  return out;
}

// The last `count` sizes, if they are numbers.
std::optional<Sizes> tailOf(Formula& f, const std::optional<Dims>& dims, std::size_t count) {
  if (!dims || dims->size() < count) return std::nullopt;
  Sizes tail;
  for (std::size_t i = dims->size() - count; i < dims->size(); ++i) {
    auto size = f.number((*dims)[i]);
    if (!size) return std::nullopt;
    tail.push_back(*size);
  }
  return tail;
}

// The padding stands behind the elements, where places of none go.
FormulaResults diagPart(Formula& f) {
  auto dims = f.dims(0), made = f.outletDims(0);
  bool any = f.count() > 2;
  auto d = diagonalsOf(f, any ? 1 : 9);
  auto matrix = tailOf(f, dims, 2), length = tailOf(f, made, 1);
  if (!matrix || !length || !d) return {};
  std::int64_t columns = matrix->back(), rows = matrix->front();
  auto places = placesOf(*d, rows, columns, length->front());
  for (std::int64_t& place : places)
    if (place < 0) place = rows * columns;
  Ex flat = f.shaped(f.in(0), withTail(f, *dims, rows * columns));
  Ex padding = any ? f.in(2) : f.like(0, flat);
  Sizes pads(2 * (dims->size() - 1));
  pads.back() = 1;
  flat = f.padWith(flat, f.cast(padding, f.elem(flat)), pads);
  Ex found = f.gather(flat, f.integers(Type::i64, {static_cast<std::int64_t>(places.size())}, places), -1);
  return {f.shaped(found, *made)};
}

// The diagonals put into matrices: every place takes an element of a diagonal, or the one behind them, of `base`.
Ex placed(Formula& f, Ex diagonals, const Dims& matrices, const Diagonals& d, std::int64_t length, Ex base) {
  auto matrix = tailOf(f, matrices, 2);
  if (!matrix) return {};
  std::int64_t columns = matrix->back(), rows = matrix->front();
  auto places = placesOf(d, rows, columns, length);
  std::vector<std::int64_t> from(static_cast<std::size_t>(rows * columns), 0), covered(from.size(), 0);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] >= 0) {
      from[static_cast<std::size_t>(places[i])] = static_cast<std::int64_t>(i);
      covered[static_cast<std::size_t>(places[i])] = 1;
    }
  Dims flat = withTail(f, matrices, static_cast<std::int64_t>(places.size()));
  Ex spread = f.gather(f.shaped(diagonals, flat), f.integers(Type::i64, {rows, columns}, from), -1);
  return choose(f.integers(Type::boolean, {rows, columns}, covered), spread, base);
}

FormulaResults setDiag(Formula& f) {
  auto dims = f.dims(0);
  auto length = tailOf(f, f.dims(1), 1);
  auto d = diagonalsOf(f, 2);
  if (!dims || !length || !d) return {};
  return {placed(f, f.in(1), *dims, *d, length->front(), f.in(0))};
}

FormulaResults matrixDiag(Formula& f) {
  auto made = f.outletDims(0);
  auto length = tailOf(f, f.dims(0), 1);
  auto d = diagonalsOf(f, 1);
  if (!length || !made || !d) return {};
  Ex padding = f.count() > 4 ? f.in(4) : f.like(0, f.in(0));
  return {placed(f, f.in(0), *made, *d, length->front(), f.cast(padding, f.elem(f.in(0))))};
}

// Of any rank, taken as one axis.
FormulaResults diag(Formula& f) {
  auto sizes = f.sizes(0), made = f.outletSizes(0);
  if (!sizes || !made) return {};
  std::int64_t count = std::accumulate(sizes->begin(), sizes->end(), std::int64_t{1}, std::multiplies<>());
  Ex flat = f.reshape(f.in(0), {count});
  return {f.reshape(placed(f, flat, {f.dim(count), f.dim(count)}, {}, count, f.like(0, flat)), *made)};
}

FormulaResults wholeDiagPart(Formula& f) {
  auto made = f.outletSizes(0);
  if (!made) return {};
  std::int64_t count = std::accumulate(made->begin(), made->end(), std::int64_t{1}, std::multiplies<>());
  Sizes places;
  for (std::int64_t i = 0; i < count; ++i) places.push_back(i * (count + 1));
  Ex flat = f.reshape(f.in(0), {count * count});
  return {f.reshape(f.gather(flat, f.integers(Type::i64, {count}, places), 0), *made)};
}

constexpr FormulaRow rows[] = {
    {"SpaceToBatch", spaceToBatch},
    {"SpaceToBatchND", spaceToBatch},
    {"BatchToSpace", batchToSpace},
    {"BatchToSpaceND", batchToSpace},
    {"MatrixBandPart", bandPart},
    {"BatchMatrixBandPart", bandPart},
    {"MatrixDiagPart", diagPart},
    {"MatrixDiagPartV2", diagPart},
    {"MatrixDiagPartV3", diagPart},
    {"BatchMatrixDiagPart", diagPart},
    {"MatrixSetDiag", setDiag},
    {"MatrixSetDiagV2", setDiag},
    {"MatrixSetDiagV3", setDiag},
    {"BatchMatrixSetDiag", setDiag},
    {"MatrixDiag", matrixDiag},
    {"MatrixDiagV2", matrixDiag},
    {"MatrixDiagV3", matrixDiag},
    {"BatchMatrixDiag", matrixDiag},
    {"Diag", diag},
    {"DiagPart", wholeDiagPart},
};

}  // namespace

std::span<const FormulaRow> blockFormulas() { return rows; }

}  // namespace axle::tensorflow
