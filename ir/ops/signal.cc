// Resized images, frames, Fourier and cosine transforms.
#include "dims/windows.h"
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred resize(const InferContext& c) {
  const std::vector<Dim>&x = c.inputs[0].shape, &y = c.declared[0].shape;
  if (x.size() != 4 || y.size() != 4) return doesNotFit("the image is not of rank 4");
  return one(c.inputs[0].elem, {x[0], y[1], y[2], x[3]});
}

// The node declares the number of frames and their length.
Inferred frame(const InferContext& c) {
  std::optional<std::size_t> axis = axisOf(c);
  std::vector<Dim> shape = c.inputs[0].shape;
  const std::vector<Dim>& y = c.declared[0].shape;
  if (!axis || y.size() != shape.size() + 1) return doesNotFit("the axis is out of range");
  shape[*axis] = y[*axis];
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, y[*axis + 1]);
  return one(c.inputs[0].elem, std::move(shape));
}

Inferred overlapAdd(const InferContext& c) {
  std::optional<std::size_t> axis = axisOf(c);
  std::vector<Dim> shape = c.inputs[0].shape;
  if (!axis || *axis + 1 >= shape.size()) return doesNotFit("the axis is out of range");
  shape[*axis] = windowSpan(c.dims, shape[*axis], c.ints[1], shape[*axis + 1]);
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis) + 1);
  return one(c.inputs[0].elem, std::move(shape));
}

Inferred fourier(const InferContext& c) {
  std::optional<std::int64_t> which = c.dims.asConstant(c.ints[0]);
  const std::vector<Dim>& y = c.declared[0].shape;
  std::vector<Dim> shape = c.inputs[0].shape;
  if (!info(c.inputs[0].elem).isFloat) return doesNotFit("the signal is not of floats");
  if (!which || *which < 0 || *which > 5) return doesNotFit("the transform is not known");
  if (*which == 2 && !shape.empty()) {
    shape.back() = c.dims.add(c.dims.div(shape.back(), c.dims.constant(2)), c.dims.constant(1));
    shape.push_back(c.dims.constant(2));
  } else if (*which == 3 && shape.size() >= 2 && y.size() + 1 == shape.size()) {
    shape.pop_back();
    shape.back() = y.back();
  }
  if (shape.size() != y.size()) return doesNotFit("the ranks do not fit");
  return one(c.inputs[0].elem, std::move(shape));
}

// Counted as 8 for each element, which is interpolated from up to 16.
Dim resizeFlops(const InferContext& c) { return c.dims.mul(flopsOfOutput(c), c.dims.constant(8)); }
Dim overlapFlops(const InferContext& c) { return elementCount(c.dims, c.inputs[0].shape); }
// 5*n*log2(n) for each sequence of length n; an unknown logarithm counts as 10.
Dim fourierFlops(const InferContext& c) {
  std::int64_t which = c.dims.asConstant(c.ints[0]).value_or(0), log = 10;
  std::vector<Dim> sequences = which == 3 ? c.declared[0].shape : c.inputs[0].shape;
  if (which <= 1 && !sequences.empty()) sequences.pop_back();
  std::optional<std::int64_t> n = sequences.empty() ? std::nullopt : c.dims.asConstant(sequences.back());
  if (n)
    for (log = 1; log < 62 && (std::int64_t{1} << log) < *n;) ++log;
  return c.dims.mul(elementCount(c.dims, sequences), c.dims.constant(5 * log));
}

}  // namespace

constinit const Rules resizeRules{resize, resizeFlops};
constinit const Rules frameRules{frame, noFlops};
constinit const Rules overlapAddRules{overlapAdd, overlapFlops};
constinit const Rules fourierRules{fourier, fourierFlops};

}  // namespace axle::ir
