// Normalisation of images.
#include <algorithm>
#include <numeric>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::normalising {
namespace {

constexpr std::string_view normalized =
    "(t s @ [c], u [c], u [c], u a, u b) -> (t s @ [c], u [c], u [c], u [c], u [c])";

constexpr std::string_view normalizedFirst =
    "(t [n, c] @ s, u [c], u [c], u a, u b) -> (t [n, c] @ s, u [c], u [c], u [c], u [c])";

constexpr std::string_view normalizedV3 =
    "(t s @ [c], u [c], u [c], u a, u b) -> (t s @ [c], u [c], u [c], u [c], u [c], u r)";

constexpr std::string_view normalizedV3First =
    "(t [n, c] @ s, u [c], u [c], u a, u b) -> (t [n, c] @ s, u [c], u [c], u [c], u [c], u r)";

// Without training, the running mean and variance have one element for each channel; in training, they may be empty.
Outcome batchNormType(RuleNode& n, std::string_view signature) {
  for (std::size_t i = 0; i < n.count(); ++i)
    if (!n.isTensor(i)) return Outcome::unknown;
  Shape image;
  for (int i = 0; i < (n.text("data_format").find('D') == std::string::npos ? 4 : 5); ++i)
    image.push_back(ShapePart::of(n.t.unknownSize("d")));
  if (!requireShape(n, 0, std::move(image))) return Outcome::failed;
  if (!n.flag("is_training"))
    for (std::size_t i = 3; i < n.count(); ++i)
      if (!n.requireInput(i, n.t.typeOf(n.in(1)), n.places.inputs[i])) return Outcome::failed;
  return bySignature(n, signature);
}

// The same with a further input that is added before the activation.
Outcome fusedBatchNormType(RuleNode& n, std::string_view) {
  GraphTyper& t = n.t;
  Dim channels = t.unknownSize("c");
  std::vector<Dim> image;
  for (std::size_t i = 0; i < 4; ++i)
    image.push_back(i == (n.text("data_format") == "NCHW" ? 1U : 3U) ? channels : t.unknownSize("d"));
  TypeId whole = t.tensor(t.unknownElem(), t.shape(image), n.places.op);
  TypeId each = t.tensor(t.unknownElem(), t.shape({channels}), n.places.op);
  for (std::size_t i = 0; i < n.count(); ++i)
    if (i != 3 && i != 4 && !n.requireInput(i, i == 1 || i == 2 ? each : whole, n.places.inputs[i]))
      return Outcome::failed;
  n.giveShape(t.shape(image));
  for (std::size_t port = 1; port < 5; ++port) n.giveShape(t.shape({channels}), port);
  return n.giveShape(t.unknownShape("s"), 5);
}

// ---- formulas

// Appends axes of size 1 to a vector of channels, so that it broadcasts against the image.
Expr beside(NodeFormula& f, Expr vector, std::size_t rank, bool channelsFirst) {
  for (std::size_t i = 2; channelsFirst && i < rank; ++i) vector = f.expand(vector, -1);
  return vector;
}

// In training, normalises by the batch's mean and biased variance, and returns the unbiased variance.
FormulaResults batchNormFormula(NodeFormula& f) {
  auto rank = f.n.rank(0);
  if (!rank || *rank < 2) return {};
  const bool first = f.n.text("data_format").starts_with("NC");
  Expr x = f.in(0), scale = f.in(1), offset = f.in(2), mean = f.in(3), variance = f.in(4);
  Elem elem = f.elem(x), wide = f.elem(scale);
  x = f.cast(x, wide);
  Expr givenMean = mean, givenVariance = variance;
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
    Expr count = f.cast(f.numberOf(all), wide);
    const double factor = static_cast<double>(f.n.real("exponential_avg_factor", 1));
    Expr oldMean = mean, oldVariance = variance;
    mean = f.reduce("mean", x, axes);
    variance = f.reduce("variance", x, axes);
    givenMean = mean;
    givenVariance = variance * (count / apply("maximum", count - 1.0, f.like(1, count)));
    if (factor != 1) {
      givenMean = oldMean * (1 - factor) + mean * factor;
      givenVariance = oldVariance * (1 - factor) + givenVariance * factor;
    }
  }
  Expr factor = scale * apply("rsqrt", variance + static_cast<double>(f.n.real("epsilon", 1e-4F)));
  Expr centred = x - beside(f, mean, *rank, first);
  Expr y = centred * beside(f, factor, *rank, first) + beside(f, offset, *rank, first);
  return {f.cast(y, elem), givenMean, givenVariance};
}

FormulaResults localResponseFormula(NodeFormula& f) {
  auto sizes = f.dims(std::size_t{0});
  auto channels = sizes && sizes->size() == 4 ? f.number(sizes->back()) : std::nullopt;
  if (!channels) return {};
  const std::int64_t radius = f.n.integer("depth_radius", 5);
  Expr x = f.in(0), squares = f.pad(x * x, {0, 0, 0, 0, 0, 0, radius, radius}), sum;
  for (std::int64_t i = 0; i <= 2 * radius; ++i) {
    Expr part = f.slice(squares, 3, i, i + *channels);
    sum = i ? sum + part : part;
  }
  Expr base = sum * static_cast<double>(f.n.real("alpha", 1)) + static_cast<double>(f.n.real("bias", 1));
  return {x * apply("pow", base, f.like(-static_cast<double>(f.n.real("beta", 0.5F)), x))};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                               type                                           value  formula
    {"FusedBatchNorm",                    {batchNormType, normalized, normalizedFirst},  {},    batchNormFormula},
    {"FusedBatchNormV2",                  {batchNormType, normalized, normalizedFirst},  {},    batchNormFormula},
    {"FusedBatchNormV3",                  {batchNormType, normalizedV3, normalizedV3First},
                                                                                         {},    batchNormFormula},
    {"LRN",                               "(t [n, h, w, c]) -> t [n, h, w, c]",          {},    localResponseFormula},
    {"BatchNormWithGlobalNormalization",  "(t [n, h, w, c], t [c], t [c], t [c], t [c]) -> t [n, h, w, c]"},
    {"_FusedBatchNormEx",                 fusedBatchNormType},
    {"BiasAddV1",                         "(t s @ [c], t [c]) -> t s @ [c]"},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::normalising
