// Operators on blocks of images and diagonals of matrices.
#include <algorithm>

#include <fmt/format.h>

#include "import/tensorflow/operators/axes.h"

namespace axle::tensorflow {
namespace {

// ---- blocks

// Whole numbers or sizes of a list, by axis.
struct Blocks {
  std::optional<Known> sizes, edges;  // [m], [m, 2]

  std::optional<Dim> size(RuleNode& n, std::size_t i) const { return at(n, sizes, i); }
  std::optional<Dim> edge(RuleNode& n, std::size_t i) const {
    auto before = at(n, edges, 2 * i), after = at(n, edges, 2 * i + 1);
    return before && after ? std::optional(n.t.solution().dims.add(*before, *after)) : std::nullopt;
  }

 private:
  static std::optional<Dim> at(RuleNode& n, const std::optional<Known>& list, std::size_t i) {
    return list && i < list->elements.size() && isSize(n, list->elements[i]) ? std::optional(list->elements[i])
                                                                             : std::nullopt;
  }
};

Blocks blocksOf(RuleNode& n) {
  if (n.node.op.ends_with("ND")) return {n.known(1), n.known(2)};
  Dim size = n.t.constant(n.integer("block_size", 1));
  return {Known::vector({size, size}), n.known(1)};
}

std::optional<std::size_t> blockAxes(RuleNode& n) {
  if (!n.node.op.ends_with("ND")) return 2;
  auto dims = n.dims(1);
  auto count = dims && dims->size() == 1 ? n.t.solution().dims.asConstant(dims->front()) : std::nullopt;
  return count ? std::optional(static_cast<std::size_t>(*count)) : std::nullopt;
}

bool divides(RuleNode& n, Dim divisor, Dim whole) {
  DimFact fact{n.t.solution().dims.mod(whole, divisor), FactRelation::eq, n.t.constant(0), {}, {}};
  fact.reason = "`" + n.node.op + "` cuts into whole blocks";
  return n.t.demand(fact, n.places.op, "`" + n.node.op + "`");
}

// Padded axes are cut into blocks, whose places become batches; and back, where edges are cropped.
Outcome spaceBatch(RuleNode& n, std::string_view core) {
  bool toBatch = core == "batch";
  auto dims = n.dims(0);
  auto axes = blockAxes(n);
  if (!dims || !axes) {
    if (!n.node.op.ends_with("ND")) giveDims(n, unknownSizes(n, 4));
    return Outcome::waits;
  }
  if (dims->size() < *axes + 1)
    return n.fail(fmt::format("`{}` works on {} axes after the batch, but its tensor has rank {}", n.node.op, *axes,
                              dims->size()),
                  "here");
  DimStore& store = n.t.solution().dims;
  Blocks blocks = blocksOf(n);
  std::optional<Dim> places = n.t.constant(1);
  for (std::size_t i = 0; i < *axes; ++i) {
    Dim& axis = (*dims)[i + 1];
    auto size = blocks.size(n, i), edge = blocks.edge(n, i);
    places = size && places ? std::optional(store.mul(*places, *size)) : std::nullopt;
    if (!size || !edge) {
      axis = n.t.unknownSize("d");
    } else if (toBatch) {
      Dim padded = store.add(axis, *edge);
      if (!divides(n, *size, padded)) return Outcome::failed;
      axis = store.div(padded, *size);
    } else {
      axis = store.sub(store.mul(axis, *size), *edge);
    }
  }
  Dim& batch = dims->front();
  if (!places) {
    batch = n.t.unknownSize("n");
  } else if (toBatch) {
    batch = store.mul(batch, *places);
  } else {
    if (!divides(n, *places, batch)) return Outcome::failed;
    batch = store.div(batch, *places);
  }
  return giveDims(n, *dims);
}

Outcome depthSpace(RuleNode& n, std::string_view core) {
  std::string format = n.text("data_format");
  if (format == "NCHW_VECT_C") return Outcome::unknown;
  bool channelsFirst = format == "NCHW";
  auto turned = [&](std::optional<TypedId> value, std::vector<std::int64_t> perm) {
    return channelsFirst && value ? n.op("transpose", {*value}, {{"perm", n.t.list(perm)}}) : value;
  };
  auto image = turned(n.in(0), {0, 2, 3, 1});
  if (image) image = n.op(core, {*image}, {{"block", n.t.integer(n.integer("block_size", 1))}});
  return n.give(turned(image, {0, 3, 1, 2}));
}

// ---- diagonals

Outcome diag(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  Dims twice = *dims;
  twice.insert(twice.end(), dims->begin(), dims->end());
  return giveDims(n, twice);
}

Outcome diagPart(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  std::size_t half = dims->size() / 2;
  if (dims->size() != 2 * half || half == 0)
    return n.fail(fmt::format("`DiagPart` needs an even rank, but its tensor has rank {}", dims->size()), "here");
  for (std::size_t i = 0; i < half; ++i)
    if (!equate(n, (*dims)[i], (*dims)[half + i])) return Outcome::failed;
  dims->resize(half);
  return giveDims(n, *dims);
}

// Which diagonals: from `low` to `high`, 0 the main one.
struct Diagonals {
  std::int64_t low = 0, high = 0;
};

std::optional<Diagonals> diagonalsOf(RuleNode& n) {
  if (n.count() < 2) return Diagonals{};
  auto k = n.numbers(1);
  if (!k || k->empty()) return std::nullopt;
  return Diagonals{k->front(), k->back()};
}

Outcome matrixDiag(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  auto k = diagonalsOf(n);
  if (!dims || !k) return Outcome::waits;
  if (dims->size() < (k->low == k->high ? 1U : 2U))
    return n.fail(fmt::format("`{}` needs diagonals, but its tensor has rank {}", n.node.op, dims->size()), "here");
  Dim length = dims->back();
  dims->resize(dims->size() - (k->low == k->high ? 1 : 2));
  // At least as many rows and columns as the diagonals need; both are equal where neither is given.
  DimStore& store = n.t.solution().dims;
  Dim rows = store.add(length, n.t.constant(std::max<std::int64_t>(-k->high, 0)));
  Dim columns = store.add(length, n.t.constant(std::max<std::int64_t>(k->low, 0)));
  auto given = [&](std::size_t input) -> std::optional<Dim> {
    if (n.count() <= input) return n.t.constant(-1);
    auto value = n.known(input);
    return value && value->count() == 1 ? std::optional(value->elements[0]) : std::nullopt;
  };
  auto r = given(2), c = given(3);
  bool square = r && c && store.asConstant(*r) == -1 && store.asConstant(*c) == -1;
  if (square) rows = columns = larger(n, rows, columns);
  auto chosen = [&](std::optional<Dim> value, Dim least) {
    if (!value || (!isSize(n, *value))) return n.t.unknownSize("d");
    return store.asConstant(*value) == -1 ? least : *value;
  };
  dims->push_back(chosen(r, rows));
  dims->push_back(chosen(c, columns));
  return giveDims(n, *dims);
}

Outcome matrixDiagPart(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  auto k = diagonalsOf(n);
  if (!dims || !k) return Outcome::waits;
  if (dims->size() < 2)
    return n.fail(fmt::format("`{}` needs matrices, but its tensor has rank {}", n.node.op, dims->size()), "here");
  DimStore& store = n.t.solution().dims;
  Dim columns = dims->back(), rows = (*dims)[dims->size() - 2];
  dims->resize(dims->size() - 2);
  if (k->low != k->high) dims->push_back(n.t.constant(k->high - k->low + 1));
  dims->push_back(smaller(n, store.add(rows, n.t.constant(std::min<std::int64_t>(k->high, 0))),
                          store.sub(columns, n.t.constant(std::max<std::int64_t>(k->low, 0)))));
  return giveDims(n, *dims);
}

constexpr Rule rows[] = {
    {"SpaceToBatch", spaceBatch, "batch"},
    {"SpaceToBatchND", spaceBatch, "batch"},
    {"BatchToSpace", spaceBatch, "space"},
    {"BatchToSpaceND", spaceBatch, "space"},
    {"SpaceToDepth", depthSpace, "space_to_depth"},
    {"DepthToSpace", depthSpace, "depth_to_space"},
    {"Diag", diag},
    {"DiagPart", diagPart},
    {"MatrixDiag", matrixDiag},
    {"MatrixDiagV2", matrixDiag},
    {"MatrixDiagV3", matrixDiag},
    {"BatchMatrixDiag", matrixDiag},
    {"MatrixDiagPart", matrixDiagPart},
    {"MatrixDiagPartV2", matrixDiagPart},
    {"MatrixDiagPartV3", matrixDiagPart},
    {"BatchMatrixDiagPart", matrixDiagPart},
    {"MatrixSetDiag", likeFirst},
    {"MatrixSetDiagV2", likeFirst},
    {"MatrixSetDiagV3", likeFirst},
    {"BatchMatrixSetDiag", likeFirst},
    {"MatrixBandPart", likeFirst},
    {"BatchMatrixBandPart", likeFirst},
};

}  // namespace

std::span<const Rule> blockRules() { return rows; }

}  // namespace axle::tensorflow
