// Matrix products, convolutions and pools. H = (h + before + after - (dilation*(r - 1) + 1)) / stride + 1.
#include "dims/windows.h"
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred matmul(const InferContext& c) {
  const std::vector<Dim>&a = c.inputs[0].shape, &b = c.inputs[1].shape;
  if (a.size() < 2 || b.size() != a.size()) return doesNotFit("operands are no matrices of one rank");
  if (c.inputs[0].elem != c.inputs[1].elem) return doesNotFit("operands differ in their element type");
  std::size_t last = a.size() - 1;
  if (alwaysDiffer(c.dims, a[last], b[last - 1])) return doesNotFit("inner sizes differ");
  for (std::size_t i = 0; i + 2 < a.size(); ++i)
    if (alwaysDiffer(c.dims, a[i], b[i])) return doesNotFit("batch sizes differ");
  std::vector<Dim> shape(a.begin(), a.end());
  shape[last] = b[last];
  return one(c.inputs[0].elem, std::move(shape));
}

Dim matmulFlops(const InferContext& c) {
  if (c.inputs[0].shape.empty()) return noFlops(c);
  return c.dims.mul(c.dims.constant(2), c.dims.mul(flopsOfOutput(c), c.inputs[0].shape.back()));
}

// With "same" padding, `windowPositions` equals the declared `ceildiv(h, stride)`, which the normal form cannot prove.
// So the declared sizes are kept unless they differ for all values.
std::vector<Fact> keepDeclaredSizes(const InferContext& c, std::vector<Dim> shape) {
  const std::vector<Dim>& declared = c.declared[0].shape;
  if (declared.size() == shape.size())
    for (std::size_t i = 1; i + 1 < shape.size(); ++i)
      if (!alwaysDiffer(c.dims, shape[i], declared[i])) shape[i] = declared[i];
  return one(c.inputs[0].elem, std::move(shape));
}

// ints: strides, [before, after] for each axis, dilations, spreads, groups
Inferred conv(const InferContext& c) {
  const std::vector<Dim>&x = c.inputs[0].shape, &f = c.inputs[1].shape, &i = c.ints;
  if (x.size() < 3 || f.size() != x.size()) return doesNotFit("image and filter are not of one rank, >= 3");
  if (c.inputs[0].elem != c.inputs[1].elem) return doesNotFit("image and filter differ in their element type");
  std::size_t rank = x.size() - 2;
  if (alwaysDiffer(c.dims, x.back(), c.dims.mul(i.back(), f[rank])))
    return doesNotFit("image and filter differ in their channels");
  std::vector<Dim> shape{x[0]};
  for (std::size_t k = 0; k < rank; ++k) {
    const Dim size = spreadSize(c.dims, x[k + 1], i[4 * rank + k]);
    const Dim around = c.dims.add(i[rank + 2 * k], i[rank + 2 * k + 1]);
    const Dim extent = windowExtent(c.dims, f[k], i[3 * rank + k]);
    shape.push_back(windowPositions(c.dims, size, around, extent, i[k]));
  }
  shape.push_back(f.back());
  return keepDeclaredSizes(c, std::move(shape));
}

Inferred convNchw(const InferContext& c) {
  const std::vector<Dim>&x = c.inputs[0].shape, &f = c.inputs[1].shape;
  if (x.size() != 4 || f.size() != 4) return doesNotFit("image or filter is not of rank 4");
  if (c.inputs[0].elem != c.inputs[1].elem) return doesNotFit("image and filter differ in their element type");
  if (alwaysDiffer(c.dims, x[1], f[1])) return doesNotFit("image and filter differ in their channels");
  Dim unit = c.dims.constant(1), zero = c.dims.constant(0);
  return one(c.inputs[0].elem, {x[0], f[0], windowPositions(c.dims, x[2], zero, f[2], unit),
                                windowPositions(c.dims, x[3], zero, f[3], unit)});
}

Inferred pool(const InferContext& c) {
  const std::vector<Dim>&x = c.inputs[0].shape, &i = c.ints;
  if (x.size() < 3) return doesNotFit("the image is not of rank 3 or more");
  std::size_t rank = x.size() - 2;
  std::vector<Dim> shape{x[0]};
  for (std::size_t k = 0; k < rank; ++k) {
    const Dim around = c.dims.add(i[2 * rank + 2 * k], i[2 * rank + 2 * k + 1]);
    shape.push_back(windowPositions(c.dims, x[k + 1], around, i[k], i[rank + k]));
  }
  shape.push_back(x.back());
  return keepDeclaredSizes(c, std::move(shape));
}

Dim twice(const InferContext& c, Dim perOutput) {
  return c.dims.mul(c.dims.constant(2), c.dims.mul(flopsOfOutput(c), perOutput));
}

// Each result is a sum over all axes of the filter but its last, the result channels.
Dim convFlops(const InferContext& c) {
  Dim perOutput = c.dims.constant(1);
  for (std::size_t k = 0; k + 1 < c.inputs[1].shape.size(); ++k)
    perOutput = c.dims.mul(perOutput, c.inputs[1].shape[k]);
  return twice(c, perOutput);
}
Dim convNchwFlops(const InferContext& c) {
  const std::vector<Dim>& f = c.inputs[1].shape;
  return f.size() == 4 ? twice(c, c.dims.mul(c.dims.mul(f[1], f[2]), f[3])) : noFlops(c);
}
Dim poolFlops(const InferContext& c) {
  Dim flops = flopsOfOutput(c);
  for (std::size_t k = 0; 4 * k < c.ints.size(); ++k) flops = c.dims.mul(flops, c.ints[k]);
  return flops;
}

}  // namespace

constinit const Rules matmulRules{matmul, matmulFlops};
constinit const Rules convRules{conv, convFlops};
constinit const Rules convNchwRules{convNchw, convNchwFlops};
constinit const Rules poolRules{pool, poolFlops};

}  // namespace axle::ir
