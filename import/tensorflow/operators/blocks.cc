// Operators that move blocks of images into the batch or into the channels, and back.
#include <algorithm>

#include "import/tensorflow/operators/complex_numbers.h"
#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"
#include "import/tensorflow/problems.h"

namespace axle::tensorflow::blocks {
namespace {

// The sizes of the blocks, and the numbers of elements to pad or crop at the ends of each axis, as far as they are
// known.
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
  fact.reason = n.subject() + " cuts into whole blocks";
  return n.t.demand(fact, n.places.op, n.subject());
}

constexpr Message<arg::Name, arg::Number, arg::Number> tooFewBlockAxes{
    codes::nodeMisfit, "{} works on {} axes after the batch, but its tensor has rank {}", "here"};

// Types space to batch, which pads the axes, splits them into blocks, and moves the positions within a block to the
// batch; or batch to space, which does the reverse and crops the ends.
Outcome moveBlocks(RuleNode& n, bool toBatch) {
  auto dims = n.dims(0);
  auto axes = blockAxes(n);
  if (!dims || !axes) {
    if (!n.node.op.ends_with("ND")) giveDims(n, unknownSizes(n, 4));
    return Outcome::waits;
  }
  if (dims->size() < *axes + 1)
    return n.fail(tooFewBlockAxes, n.opName(), arg::Number{*axes}, arg::Number{dims->size()});
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

Outcome spaceToBatchType(RuleNode& n, std::string_view) { return moveBlocks(n, true); }
Outcome batchToSpaceType(RuleNode& n, std::string_view) { return moveBlocks(n, false); }

Outcome depthSpaceType(RuleNode& n, std::string_view core) {
  std::string format = n.text("data_format");
  if (format == "NCHW_VECT_C") return Outcome::unknown;
  bool channelsFirst = format == "NCHW";
  auto turned = [&](std::optional<TypedId> value, const std::vector<std::int64_t>& perm) {
    return channelsFirst && value ? n.op("transpose", {*value}, {{"perm", n.t.list(perm)}}) : value;
  };
  auto image = turned(n.in(0), {0, 2, 3, 1});
  if (image) image = n.op(core, {*image}, {{"block", n.t.integer(n.integer("block_size", 1))}});
  return n.give(turned(image, {0, 3, 1, 2}));
}

// ---- formulas

struct KnownBlocks {
  Dims image, made;  // of the input, of the result
  Sizes sizes;       // of the blocks, by axis
  Dims edges;        // before and after each blocked axis
};

std::optional<KnownBlocks> knownBlocksOf(NodeFormula& f) {
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
  return KnownBlocks{*image, *made, *sizes, edges->elements};
}

// Splits each padded axis into [pieces, size], and moves the positions within the blocks before the batch.
FormulaResults spaceToBatchFormula(NodeFormula& f) {
  auto b = knownBlocksOf(f);
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
  Expr padded = f.op("pad", {f.in(0)}, {{"pads", f.n.t.list(std::move(pads))}});
  return {f.shaped(f.transpose(f.shaped(padded, cut), order), b->made)};
}

FormulaResults batchToSpaceFormula(NodeFormula& f) {
  auto b = knownBlocksOf(f);
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
  Expr image = f.shaped(f.transpose(f.shaped(f.in(0), cut), order), out);
  for (std::size_t i = 0; i < axes; ++i)
    if (f.number(b->edges[2 * i]) != 0 || f.number(b->edges[2 * i + 1]) != 0)
      image =
          f.sliced(image, static_cast<std::int64_t>(i + 1), b->edges[2 * i], f.plus(b->edges[2 * i], b->made[i + 1]));
  return {image};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name             type               value  formula
    {"SpaceToBatch",    spaceToBatchType,  {},    spaceToBatchFormula},
    {"SpaceToBatchND",  spaceToBatchType,  {},    {byPartsFormula, spaceToBatchFormula}},
    {"BatchToSpace",    batchToSpaceType,  {},    batchToSpaceFormula},
    {"BatchToSpaceND",  batchToSpaceType,  {},    {byPartsFormula, batchToSpaceFormula}},
    {"SpaceToDepth",    {depthSpaceType, "space_to_depth"}},
    {"DepthToSpace",    {depthSpaceType, "depth_to_space"}},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::blocks
