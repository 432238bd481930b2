// Gradients, which training computes.
#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"
#include "import/tensorflow/operators/windows.h"

namespace axle::tensorflow::gradients {
namespace {

// Gives the gradient the sizes in an operand; otherwise four axes for images, five for volumes.
Outcome sizedGradientType(RuleNode& n, std::string_view) {
  std::size_t at = n.node.op == "CropAndResizeGradImage" ? 3 : 0;
  if (auto sizes = n.sizes(at)) return giveDims(n, *sizes);
  giveDims(n, unknownSizes(n, n.node.op == "AvgPool3DGrad" ? 5 : 4));
  return Outcome::waits;
}

// TensorFlow does not check the second shape.
constexpr std::string_view unchecked = "(t s, t r) -> t s";

constexpr std::string_view gradient = "(t s, t s) -> t s";
constexpr std::string_view normalizedGrad = "(t s, t s, u [c], v a, v b) -> (t s, v [c], v [c], v d, v e)";

constexpr std::string_view lstmBlock =
    "(l [], t x, t a, t h, t w, t p, t q, t r, t b, t d, t e, t f, t g, t j, t k, t m, t y, t z)"
    " -> (t x, t a, t h, t w, t p, t q, t r, t b)";

// ---- formulas

Expr positive(Expr x) { return x > 0.0; }
FormulaResults reluGradFormula(NodeFormula& f) { return {choose(positive(f.in(1)), f.in(0), 0)}; }
FormulaResults relu6GradFormula(NodeFormula& f) { return {choose(positive(f.in(1)) && f.in(1) < 6.0, f.in(0), 0)}; }

FormulaResults leakyReluGradFormula(NodeFormula& f) {
  return {choose(positive(f.in(1)), f.in(0), f.in(0) * static_cast<double>(f.n.real("alpha", 0.2F)))};
}

FormulaResults eluGradFormula(NodeFormula& f) { return {choose(f.in(1) < 0.0, (f.in(1) + 1.0) * f.in(0), f.in(0))}; }
FormulaResults sigmoidGradFormula(NodeFormula& f) { return {f.in(1) * f.in(0) * (1.0 - f.in(0))}; }
FormulaResults tanhGradFormula(NodeFormula& f) { return {f.in(1) * (1.0 - f.in(0) * f.in(0))}; }
FormulaResults sqrtGradFormula(NodeFormula& f) { return {f.in(1) * 0.5 / f.in(0)}; }
FormulaResults rsqrtGradFormula(NodeFormula& f) { return {f.in(1) * -0.5 * f.in(0) * f.in(0) * f.in(0)}; }

FormulaResults seluGradFormula(NodeFormula& f) {
  constexpr double scale = 1.0507009873554805, alpha = 1.6732632423543772;
  return {choose(f.in(1) < 0.0, (f.in(1) + scale * alpha) * f.in(0), f.in(0) * scale)};
}

FormulaResults reciprocalGradFormula(NodeFormula& f) { return {-f.in(1) * f.in(0) * f.in(0)}; }
FormulaResults softplusGradFormula(NodeFormula& f) { return {f.in(0) / (apply("exp", -f.in(1)) + 1.0)}; }

FormulaResults softsignGradFormula(NodeFormula& f) {
  Expr scale = apply("abs", f.in(1)) + 1.0;
  return {f.in(0) / (scale * scale)};
}

// Sums over all axes but the channels.
FormulaResults biasAddGradFormula(NodeFormula& f) {
  auto dims = f.dims(std::size_t{0});
  if (!dims || dims->size() < 2) return {};
  const std::size_t channels = f.n.text("data_format") == "NCHW" ? 1 : dims->size() - 1;
  Sizes axes;
  for (std::size_t i = 0; i < dims->size(); ++i)
    if (i != channels) axes.push_back(static_cast<std::int64_t>(i));
  return {f.reduce("sum", f.in(0), axes)};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                                        type                       value  formula
    {"ReluGrad",                                   gradient,                  {},    reluGradFormula},
    {"Relu6Grad",                                  gradient,                  {},    relu6GradFormula},
    {"LeakyReluGrad",                              gradient,                  {},    leakyReluGradFormula},
    {"EluGrad",                                    gradient,                  {},    eluGradFormula},
    {"SeluGrad",                                   gradient,                  {},    seluGradFormula},
    {"SigmoidGrad",                                unchecked,                 {},    sigmoidGradFormula},
    {"TanhGrad",                                   unchecked,                 {},    tanhGradFormula},
    {"SqrtGrad",                                   unchecked,                 {},    sqrtGradFormula},
    {"RsqrtGrad",                                  unchecked,                 {},    rsqrtGradFormula},
    {"ReciprocalGrad",                             unchecked,                 {},    reciprocalGradFormula},
    {"SoftplusGrad",                               gradient,                  {},    softplusGradFormula},
    {"SoftsignGrad",                               gradient,                  {},    softsignGradFormula},
    {"BiasAddGrad",                                {"(t s @ [c]) -> t [c]", "(t [n, c] @ s) -> t [c]"},
                                                                              {},    biasAddGradFormula},
    {"MaxPoolGrad",                                "(t s, t r, t r) -> t s",  {},    windows::maxPoolGradFormula},
    {"FusedBatchNormGrad",                         normalizedGrad},
    {"FusedBatchNormGradV2",                       normalizedGrad},
    {"FusedBatchNormGradV3",                       "(t s, t s, u [c], v a, v b, v f) -> (t s, v [c], v [c], v d, v e)"},
    {"InvGrad",                                    unchecked,                 {},    reciprocalGradFormula},
    {"LRNGrad",                                    "(t s, t s, t s) -> t s"},
    {"MaxPoolGradV2",                              "(t s, t r, t r, i [4], i [4]) -> t s"},
    {"MaxPoolGradWithArgmax",                      "(t s, t r, i r) -> t s"},
    {"MaxPool3DGrad",                              "(t s, t r, u r) -> u s"},
    {"MaxPoolGradGrad",                            "(t s, t r, t s) -> t r"},
    {"MaxPoolGradGradV2",                          "(t s, t r, t s, i [4], i [4]) -> t r"},
    {"MaxPool3DGradGrad",                          "(t s, t r, t s) -> t r"},
    {"MaxPoolGradGradWithArgmax",                  "(t s, t s, i r) -> t r"},
    {"AvgPoolGrad",                                sizedGradientType},
    {"AvgPool3DGrad",                              sizedGradientType},
    {"DepthwiseConv2dNativeBackpropInput",         sizedGradientType},
    {"FractionalMaxPoolGrad",                      "(t s, t r, t r, i [k], i [l]) -> t s"},
    {"FractionalAvgPoolGrad",                      sizedGradientType},
    {"Conv2DBackpropInputV2",                      "(t s, t r, t g) -> t s"},
    {"Conv2DBackpropFilterV2",                     "(t s, t r, t g) -> t r"},
    {"Conv3DBackpropInput",                        "(t s, t r, t g) -> t s"},
    {"Conv3DBackpropFilter",                       "(t s, t r, t g) -> t r"},
    {"Dilation2DBackpropInput",                    "(t s, t r, t g) -> t s"},
    {"Dilation2DBackpropFilter",                   "(t s, t r, t g) -> t r"},
    {"ResizeBilinearGrad",                         "(f [n, h, w, c], t [n, y, x, c]) -> t [n, y, x, c]"},
    {"ResizeBicubicGrad",                          "(f [n, h, w, c], t [n, y, x, c]) -> t [n, y, x, c]"},
    {"ResizeNearestNeighborGrad",                  "(t [n, h, w, c]; size : ints(2)) -> t [n, size[0], size[1], c]"},
    {"ScaleAndTranslateGrad",                      "(t g, t [n, h, w, c], f [2], f [2]) -> t [n, h, w, c]"},
    {"CropAndResizeGradBoxes",                     "(f [k, y, x, c], t [n, h, w, c], f [k, 4], i [k]) -> f [k, 4]"},
    {"CropAndResizeGradImage",                     sizedGradientType},
    {"FakeQuantWithMinMaxArgsGradient",            gradient},
    {"FakeQuantWithMinMaxVarsGradient",            "(t s, t s, t [], t []) -> (t s, t [], t [])"},
    {"FakeQuantWithMinMaxVarsPerChannelGradient",  "(t s @ [c], t s @ [c], t [c], t [c]) -> (t s @ [c], t [c], t [c])"},
    {"QuantizeAndDequantizeV4Grad",                "(t s, t s, t m, t m) -> (t s, t m, t m)"},
    {"BatchNormWithGlobalNormalizationGrad",       "(t [n, h, w, c], t [c], t [c], t [c], t [n, h, w, c]) -> (t [n, "
                                                   "h, w, c], t [c], t [c], t [c], t [c])"},
    {"BlockLSTMGrad",                              lstmBlock},
    {"BlockLSTMGradV2",                            lstmBlock},
    {"LSTMBlockCellGrad",                          "(t [b, x], t [b, c], t g, t w, t [c], t [c], t [c], t d, t [b, "
                                                   "c], t [b, c], t [b, c], t [b, c], t [b, c], t [b, c], t [b, c], t "
                                                   "[b, c]) -> (t [b, c], t [b, 4*c], t [c], t [c], t [c])"},
    {"GRUBlockCellGrad",                           "(t [b, x], t [b, c], t [x + c, 2*c], t [x + c, c], t [2*c], t "
                                                   "[c], t [b, c], t [b, c], t [b, c], t [b, c]) -> (t [b, x], t [b, "
                                                   "c], t [b, c], t [b, 2*c])"},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::gradients
