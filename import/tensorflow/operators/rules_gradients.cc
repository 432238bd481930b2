// What training computes backwards: types only so far.
#include "import/tensorflow/operators/axes.h"

namespace axle::tensorflow {
namespace {

// Of a tensor whose sizes are an operand; images have four of them, volumes five.
Outcome ofSizes(RuleNode& n, std::string_view) {
  std::size_t at = n.node.op == "CropAndResizeGradImage" ? 3 : 0;
  if (auto sizes = n.sizes(at)) return giveDims(n, *sizes);
  giveDims(n, unknownSizes(n, n.node.op == "AvgPool3DGrad" ? 5 : 4));
  return Outcome::waits;
}

// TensorFlow asks of the second one's shape nothing.
constexpr std::string_view unchecked = "(t s, t r) -> t s";
constexpr std::string_view gradient = "(t s, t s) -> t s";
constexpr std::string_view normalizedGrad = "(t s, t s, u [c], v a, v b) -> (t s, v [c], v [c], v d, v e)";
constexpr std::string_view lstmBlock =
    "(l [], t x, t a, t h, t w, t p, t q, t r, t b, t d, t e, t f, t g, t j, t k, t m, t y, t z)"
    " -> (t x, t a, t h, t w, t p, t q, t r, t b)";

constexpr Rule rows[] = {
    {"ReluGrad", bySignature, gradient},
    {"Relu6Grad", bySignature, gradient},
    {"LeakyReluGrad", bySignature, gradient},
    {"EluGrad", bySignature, gradient},
    {"SeluGrad", bySignature, gradient},
    {"SigmoidGrad", bySignature, unchecked},
    {"TanhGrad", bySignature, unchecked},
    {"SqrtGrad", bySignature, unchecked},
    {"RsqrtGrad", bySignature, unchecked},
    {"ReciprocalGrad", bySignature, unchecked},
    {"SoftplusGrad", bySignature, gradient},
    {"SoftsignGrad", bySignature, gradient},
    {"BiasAddGrad", bySignature, "(t s @ [c]) -> t [c]"},
    {"BiasAddGrad/NC", bySignature, "(t [n, c] @ s) -> t [c]"},
    {"MaxPoolGrad", bySignature, "(t s, t r, t r) -> t s"},
    {"FusedBatchNormGrad", bySignature, normalizedGrad},
    {"FusedBatchNormGradV2", bySignature, normalizedGrad},
    {"FusedBatchNormGradV3", bySignature, "(t s, t s, u [c], v a, v b, v f) -> (t s, v [c], v [c], v d, v e)"},
    {"InvGrad", bySignature, unchecked},
    {"LRNGrad", bySignature, "(t s, t s, t s) -> t s"},
    {"MaxPoolGradV2", bySignature, "(t s, t r, t r, i [4], i [4]) -> t s"},
    {"MaxPoolGradWithArgmax", bySignature, "(t s, t r, i r) -> t s"},
    {"MaxPool3DGrad", bySignature, "(t s, t r, u r) -> u s"},
    {"MaxPoolGradGrad", bySignature, "(t s, t r, t s) -> t r"},
    {"MaxPoolGradGradV2", bySignature, "(t s, t r, t s, i [4], i [4]) -> t r"},
    {"MaxPool3DGradGrad", bySignature, "(t s, t r, t s) -> t r"},
    {"MaxPoolGradGradWithArgmax", bySignature, "(t s, t s, i r) -> t r"},
    {"AvgPoolGrad", ofSizes},
    {"AvgPool3DGrad", ofSizes},
    {"DepthwiseConv2dNativeBackpropInput", ofSizes},
    {"FractionalMaxPoolGrad", bySignature, "(t s, t r, t r, i [k], i [l]) -> t s"},
    {"FractionalAvgPoolGrad", ofSizes},
    {"Conv2DBackpropInputV2", bySignature, "(t s, t r, t g) -> t s"},
    {"Conv2DBackpropFilterV2", bySignature, "(t s, t r, t g) -> t r"},
    {"Conv3DBackpropInput", bySignature, "(t s, t r, t g) -> t s"},
    {"Conv3DBackpropFilter", bySignature, "(t s, t r, t g) -> t r"},
    {"Dilation2DBackpropInput", bySignature, "(t s, t r, t g) -> t s"},
    {"Dilation2DBackpropFilter", bySignature, "(t s, t r, t g) -> t r"},
    {"ResizeBilinearGrad", bySignature, "(f [n, h, w, c], t [n, y, x, c]) -> t [n, y, x, c]"},
    {"ResizeBicubicGrad", bySignature, "(f [n, h, w, c], t [n, y, x, c]) -> t [n, y, x, c]"},
    {"ResizeNearestNeighborGrad", bySignature, "(t [n, h, w, c]; size : ints(2)) -> t [n, size[0], size[1], c]"},
    {"ScaleAndTranslateGrad", bySignature, "(t g, t [n, h, w, c], f [2], f [2]) -> t [n, h, w, c]"},
    {"CropAndResizeGradBoxes", bySignature, "(f [k, y, x, c], t [n, h, w, c], f [k, 4], i [k]) -> f [k, 4]"},
    {"CropAndResizeGradImage", ofSizes},
    {"FakeQuantWithMinMaxArgsGradient", bySignature, gradient},
    {"FakeQuantWithMinMaxVarsGradient", bySignature, "(t s, t s, t [], t []) -> (t s, t [], t [])"},
    {"FakeQuantWithMinMaxVarsPerChannelGradient", bySignature,
     "(t s @ [c], t s @ [c], t [c], t [c]) -> (t s @ [c], t [c], t [c])"},
    {"QuantizeAndDequantizeV4Grad", bySignature, "(t s, t s, t m, t m) -> (t s, t m, t m)"},
    {"BatchNormWithGlobalNormalizationGrad", bySignature,
     "(t [n, h, w, c], t [c], t [c], t [c], t [n, h, w, c]) -> (t [n, h, w, c], t [c], t [c], t [c], t [c])"},
    {"BlockLSTMGrad", bySignature, lstmBlock},
    {"BlockLSTMGradV2", bySignature, lstmBlock},
    {"LSTMBlockCellGrad", bySignature,
     "(t [b, x], t [b, c], t g, t w, t [c], t [c], t [c], t d, t [b, c], t [b, c], t [b, c], t [b, c], t [b, c], t [b, "
     "c], t [b, c], t [b, c]) -> (t [b, c], t [b, 4*c], t [c], t [c], t [c])"},
    {"GRUBlockCellGrad", bySignature,
     "(t [b, x], t [b, c], t [x + c, 2*c], t [x + c, c], t [2*c], t [c], t [b, c], t [b, c], t [b, c], t [b, c]) -> (t "
     "[b, x], t [b, c], t [b, c], t [b, 2*c])"},
};

}  // namespace

std::span<const Rule> gradientRules() { return rows; }

}  // namespace axle::tensorflow
