// Formulas of normalisation, losses and fake quantisation.
#include <algorithm>
#include <numeric>

#include "import/tensorflow/operators/formula.h"

namespace axle::tensorflow {
namespace {

// Per channel, beside elements whose channels are the second axis or the last one.
Ex beside(Formula& f, Ex vector, std::size_t rank, bool channelsFirst) {
  for (std::size_t i = 2; channelsFirst && i < rank; ++i) vector = f.expand(vector, -1);
  return vector;
}

// In training with the batch's own mean and (biased) variance; the variance that is given on is the unbiased one.
FormulaResults batchNorm(Formula& f) {
  auto rank = f.n.rank(0);
  if (!rank || *rank < 2) return {};
  const bool first = f.n.text("data_format").starts_with("NC");
  Ex x = f.in(0), scale = f.in(1), offset = f.in(2), mean = f.in(3), variance = f.in(4);
  Elem elem = f.elem(x), wide = f.elem(scale);
  x = f.cast(x, wide);
  Ex givenMean = mean, givenVariance = variance;
  if (f.n.flag("is_training")) {
    Sizes axes;
    Dim all = f.dim(1);
    auto sizes = f.dims(std::size_t{0});
    if (!sizes) return {};
    for (std::size_t i = 0; i < *rank; ++i)
      if (i != (first ? 1 : *rank - 1)) {
        axes.push_back(static_cast<std::int64_t>(i));
        all = f.times(all, (*sizes)[i]);
      }
    Ex count = f.cast(f.numberOf(all), wide);
    const double factor = static_cast<double>(f.n.real("exponential_avg_factor", 1));
    Ex oldMean = mean, oldVariance = variance;
    mean = f.reduce("mean", x, axes);
    variance = f.reduce("variance", x, axes);
    givenMean = mean;
    givenVariance = variance * (count / apply("maximum", count - 1.0, f.like(1, count)));
    if (factor != 1) {
      givenMean = oldMean * (1 - factor) + mean * factor;
      givenVariance = oldVariance * (1 - factor) + givenVariance * factor;
    }
  }
  Ex factor = scale * apply("rsqrt", variance + static_cast<double>(f.n.real("epsilon", 1e-4F)));
  Ex centred = x - beside(f, mean, *rank, first);
  Ex y = centred * beside(f, factor, *rank, first) + beside(f, offset, *rank, first);
  return {f.cast(y, elem), givenMean, givenVariance};
}

FormulaResults localResponse(Formula& f) {
  auto sizes = f.dims(std::size_t{0});
  auto channels = sizes && sizes->size() == 4 ? f.number(sizes->back()) : std::nullopt;
  if (!channels) return {};
  const std::int64_t radius = f.n.integer("depth_radius", 5);
  Ex x = f.in(0), squares = f.pad(x * x, {0, 0, 0, 0, 0, 0, radius, radius}), sum;
  for (std::int64_t i = 0; i <= 2 * radius; ++i) {
    Ex part = f.slice(squares, 3, i, i + *channels);
    sum = i ? sum + part : part;
  }
  Ex base = sum * static_cast<double>(f.n.real("alpha", 1)) + static_cast<double>(f.n.real("bias", 1));
  return {x * apply("pow", base, f.like(-static_cast<double>(f.n.real("beta", 0.5F)), x))};
}

FormulaResults l2Loss(Formula& f) {
  auto rank = f.n.rank(0);
  if (!rank) return {};
  Sizes axes(*rank);
  std::iota(axes.begin(), axes.end(), 0);
  return {f.reduce("sum", f.in(0) * f.in(0), axes) * 0.5};
}

// What is expected never does not count, however unlikely it is.
FormulaResults crossEntropy(Formula& f) {
  auto backward = f.outletDims(1);
  if (!backward) return {};
  Ex logits = f.stretched(f.in(0), *backward), labels = f.stretched(f.in(1), *backward);
  Ex logs = f.op("log_softmax", {logits});
  Ex loss = f.reduce("sum", choose(labels == 0.0, 0, -labels * logs), {1});
  return {loss, f.op("softmax", {logits}) - labels};
}

FormulaResults sparseCrossEntropy(Formula& f) {
  Ex labels = f.cast(f.in(1), Elem::i64), logits = f.in(0), logs = f.op("log_softmax", {logits});
  Ex chosen = f.op("take_along", {logs, f.expand(labels, -1)}, {{"axis", f.n.t.integer(1)}});
  auto sizes = f.dims(std::size_t{0});
  if (!sizes || sizes->size() != 2) return {};
  Ex truth = f.expand(labels, -1) == f.expand(f.countTo((*sizes)[1]), 0);
  return {-f.squeeze(chosen, 1), f.op("softmax", {logits}) - f.cast(truth, f.elem(logits))};
}

// ---- quantisation

// A range that holds 0 exactly, in steps between the lowest and the highest of the codes.
Ex fakeQuantised(Formula& f, Ex x, Ex low, Ex high) {
  const auto bits =
      static_cast<double>((std::int64_t{1} << std::clamp<std::int64_t>(f.n.integer("num_bits", 8), 2, 16)) - 1);
  const double least = f.n.flag("narrow_range") ? 1 : 0, most = bits;
  Ex step = (high - low) / (most - least);
  Ex zero = least - low / step;
  Ex nudged = apply("floor", zero + 0.5);
  nudged = choose(zero < least, least, choose(zero > most, most, nudged));
  Ex from = (least - nudged) * step, to = (most - nudged) * step;
  Ex clamped = apply("minimum", apply("maximum", x, from), to);
  Ex codes = apply("floor", (clamped - from) * (1.0 / step) + 0.5);
  // A range of nothing gives nothing.
  return choose(low == 0.0 && high == 0.0, 0, codes * step + from);
}

FormulaResults fakeQuantArgs(Formula& f) {
  Ex x = f.in(0);
  Ex low = f.like(static_cast<double>(f.n.real("min", -6)), x),
     high = f.like(static_cast<double>(f.n.real("max", 6)), x);
  return {fakeQuantised(f, x, low, high)};
}

FormulaResults fakeQuantVars(Formula& f) { return {fakeQuantised(f, f.in(0), f.in(1), f.in(2))}; }

constexpr FormulaRow rows[] = {
    {"FusedBatchNorm", batchNorm},
    {"FusedBatchNormV2", batchNorm},
    {"FusedBatchNormV3", batchNorm},
    {"LRN", localResponse},
    {"L2Loss", l2Loss},
    {"SoftmaxCrossEntropyWithLogits", crossEntropy},
    {"SparseSoftmaxCrossEntropyWithLogits", sparseCrossEntropy},
    {"FakeQuantWithMinMaxArgs", fakeQuantArgs},
    {"FakeQuantWithMinMaxVars", fakeQuantVars},
    {"FakeQuantWithMinMaxVarsPerChannel", fakeQuantVars},
};

}  // namespace

std::span<const FormulaRow> normalisingFormulas() { return rows; }

}  // namespace axle::tensorflow
