// Fourier and cosine transforms along the innermost axis; complex numbers are pairs along one more.
#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

Inferred fourierFacts(const InferContext& c) {
  const Transform transform = c.as<FourierAttributes>().transform;
  const Dims& y = c.declared[0].shape;
  Dims shape = c.inputs[0].shape;
  if (!info(c.inputs[0].elem).isFloat) return doesNotFit("the signal is not of floats");
  if (transform > Transform::idct) return doesNotFit("the transform is not known");
  if (transform == Transform::rfft && !shape.empty()) {
    shape.back() = c.dims.add(c.dims.div(shape.back(), c.dims.constant(2)), c.dims.constant(1));
    shape.push_back(c.dims.constant(2));
  } else if (transform == Transform::irfft && shape.size() >= 2 && y.size() + 1 == shape.size()) {
    shape.pop_back();
    shape.back() = y.back();
  }
  if (shape.size() != y.size()) return doesNotFit("the ranks do not fit");
  return one(c.inputs[0].elem, std::move(shape));
}

// 5*n*log2(n) for each sequence of length n; an unknown logarithm counts as 10.
Dim fourierFlops(const InferContext& c) {
  const Transform transform = c.as<FourierAttributes>().transform;
  std::int64_t log = 10;
  Dims sequences = transform == Transform::irfft ? c.declared[0].shape : c.inputs[0].shape;
  if (transform <= Transform::ifft && !sequences.empty()) sequences.pop_back();
  std::optional<std::int64_t> n = sequences.empty() ? std::nullopt : c.dims.asConstant(sequences.back());
  if (n)
    for (log = 1; log < 62 && (std::int64_t{1} << log) < *n;) ++log;
  return c.dims.mul(elementCount(c.dims, sequences), c.dims.constant(5 * log));
}

AxisMap fourierAxes(const InferContext& c) {
  const Transform transform = c.as<FourierAttributes>().transform;
  const bool pairs = transform == Transform::fft || transform == Transform::ifft || transform == Transform::irfft;
  AxisMap map;
  for (std::size_t i = 0; i + (pairs ? 2 : 1) < c.inputs[0].shape.size(); ++i) map.add(i, {0, i});
  return map;
}

}  // namespace

constinit const Rules fourierRules{fourierFacts, fourierFlops, fourierAxes};

}  // namespace axle::ir
