// Matrix products, convolutions and pools. H = (h + before + after - (dilation*(r - 1) + 1)) / stride + 1.
#include "ir/ops/families.h"

namespace axle::ir {

namespace {

constexpr std::string_view convInts = "stride h w, pad top bottom left right, dilation h w";
constexpr std::string_view poolInts = "size h w, stride h w, pad top bottom left right";

Inferred matmul(const InferContext& c) {
  const std::vector<Dim>&a = c.inputs[0].shape, &b = c.inputs[1].shape;
  if (a.size() < 2 || b.size() != a.size()) return doesNotFit("operands are no matrices of one rank");
  if (c.inputs[0].elem != c.inputs[1].elem) return doesNotFit("operands differ in their element type");
  std::size_t last = a.size() - 1;
  if (surelyDiffer(c.dims, a[last], b[last - 1])) return doesNotFit("inner sizes differ");
  for (std::size_t i = 0; i + 2 < a.size(); ++i)
    if (surelyDiffer(c.dims, a[i], b[i])) return doesNotFit("batch sizes differ");
  std::vector<Dim> shape(a.begin(), a.end());
  shape[last] = b[last];
  return one(c.inputs[0].elem, std::move(shape));
}

Dim matmulFlops(const InferContext& c) {
  if (c.inputs[0].shape.empty()) return noFlops(c);
  return c.dims.mul(c.dims.constant(2), c.dims.mul(flopsOfOutput(c), c.inputs[0].shape.back()));
}

// Positions of a window of extent `extent` along an axis of `size`, padded.
Dim positions(DimStore& dims, Dim size, Dim before, Dim after, Dim extent, Dim stride) {
  Dim room = dims.sub(dims.add(size, dims.add(before, after)), extent);
  return dims.add(dims.div(room, stride), dims.constant(1));
}

Dim dilated(DimStore& dims, Dim window, Dim dilation) {
  return dims.add(dims.mul(dilation, dims.sub(window, dims.constant(1))), dims.constant(1));
}

tl::expected<std::vector<Dim>, std::string> convSides(const InferContext& c) {
  if (c.inputs[0].shape.size() != 4 || c.inputs[1].shape.size() != 4)
    return doesNotFit("image or filter is not of rank 4");
  if (c.inputs[0].elem != c.inputs[1].elem) return doesNotFit("image and filter differ in their element type");
  const std::vector<Dim>&x = c.inputs[0].shape, &f = c.inputs[1].shape, &i = c.ints;
  if (surelyDiffer(c.dims, x[3], f[2])) return doesNotFit("image and filter differ in their channels");
  Dim h = positions(c.dims, x[1], i[2], i[3], dilated(c.dims, f[0], i[6]), i[0]);
  Dim w = positions(c.dims, x[2], i[4], i[5], dilated(c.dims, f[1], i[7]), i[1]);
  return std::vector<Dim>{x[0], h, w};
}

// Where padding is "same" the sum above is `ceildiv(h, stride)` by arithmetic that the normal form does not know.
std::vector<Fact> withSides(const InferContext& c, const std::vector<Dim>& sides, Dim channels) {
  std::vector<Dim> shape = sides;
  shape.push_back(channels);
  const std::vector<Dim>& declared = c.declared[0].shape;
  if (declared.size() == 4)
    for (std::size_t i = 1; i <= 2; ++i)
      if (!surelyDiffer(c.dims, shape[i], declared[i])) shape[i] = declared[i];
  return one(c.inputs[0].elem, std::move(shape));
}

Inferred conv2d(const InferContext& c) {
  auto sides = convSides(c);
  if (!sides) return doesNotFit(sides.error());
  return withSides(c, *sides, c.inputs[1].shape[3]);
}

Inferred depthwise(const InferContext& c) {
  auto sides = convSides(c);
  if (!sides) return doesNotFit(sides.error());
  return withSides(c, *sides, c.dims.mul(c.inputs[0].shape[3], c.inputs[1].shape[3]));
}

Inferred convNchw(const InferContext& c) {
  const std::vector<Dim>&x = c.inputs[0].shape, &f = c.inputs[1].shape;
  if (x.size() != 4 || f.size() != 4) return doesNotFit("image or filter is not of rank 4");
  if (c.inputs[0].elem != c.inputs[1].elem) return doesNotFit("image and filter differ in their element type");
  if (surelyDiffer(c.dims, x[1], f[1])) return doesNotFit("image and filter differ in their channels");
  Dim unit = c.dims.constant(1), zero = c.dims.constant(0);
  return one(c.inputs[0].elem, {x[0], f[0], positions(c.dims, x[2], zero, zero, f[2], unit),
                                positions(c.dims, x[3], zero, zero, f[3], unit)});
}

Inferred pool(const InferContext& c) {
  const std::vector<Dim>&x = c.inputs[0].shape, &i = c.ints;
  if (x.size() != 4) return doesNotFit("the image is not of rank 4");
  Dim h = positions(c.dims, x[1], i[4], i[5], i[0], i[2]);
  Dim w = positions(c.dims, x[2], i[6], i[7], i[1], i[3]);
  return withSides(c, {x[0], h, w}, x[3]);
}

Dim twice(const InferContext& c, Dim perOutput) {
  return c.dims.mul(c.dims.constant(2), c.dims.mul(flopsOfOutput(c), perOutput));
}

Dim conv2dFlops(const InferContext& c) {
  const std::vector<Dim>& f = c.inputs[1].shape;
  return f.size() == 4 ? twice(c, c.dims.mul(c.dims.mul(f[0], f[1]), f[2])) : noFlops(c);
}
Dim depthwiseFlops(const InferContext& c) {
  const std::vector<Dim>& f = c.inputs[1].shape;
  return f.size() == 4 ? twice(c, c.dims.mul(f[0], f[1])) : noFlops(c);
}
Dim convNchwFlops(const InferContext& c) {
  const std::vector<Dim>& f = c.inputs[1].shape;
  return f.size() == 4 ? twice(c, c.dims.mul(c.dims.mul(f[1], f[2]), f[3])) : noFlops(c);
}
Dim poolFlops(const InferContext& c) { return c.dims.mul(flopsOfOutput(c), c.dims.mul(c.ints[0], c.ints[1])); }

}  // namespace

std::span<const OpRow> linearOps() {
  // clang-format off
  static constexpr OpRow rows[] = {
      // op                 name                inputs  outputs ints           bodies folding      facts      cost
      {Op::matmul,          "MATMUL",           {2, 2}, {1, 1}, {},              0, Folding::always, matmul, matmulFlops},
      {Op::conv2d,          "CONV2D",           {2, 2}, {1, 1}, {8, 0, convInts}, 0, Folding::always, conv2d, conv2dFlops},
      {Op::depthwiseConv2d, "DEPTHWISE_CONV2D", {2, 2}, {1, 1}, {8, 0, convInts}, 0, Folding::always, depthwise, depthwiseFlops},
      {Op::convNchw,        "CONV_NCHW",        {2, 2}, {1, 1}, {},              0, Folding::always, convNchw, convNchwFlops},
      {Op::maxPool,         "MAX_POOL",         {1, 1}, {1, 1}, {8, 0, poolInts}, 0, Folding::always, pool, poolFlops},
      {Op::avgPool,         "AVG_POOL",         {1, 1}, {1, 1}, {8, 0, poolInts}, 0, Folding::always, pool, poolFlops},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::ir
