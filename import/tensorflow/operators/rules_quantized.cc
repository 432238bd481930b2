// Quantised tensors, each with the numbers that its smallest and its largest element stand for.
#include "import/tensorflow/operators/rule.h"

namespace axle::tensorflow {
namespace {

constexpr std::string_view quantizedConvolution =
    "(t [n, h, w, c], u [r, s, c, k], v a, v b, v d, v e; strides : ints(4), dilations : ints(4), padding : padding)"
    " -> (x [n, conv_out(h, r, strides[1], padding[0], dilations[1]), conv_out(w, s, strides[2], padding[1], "
    "dilations[2]), k],"
    " v [], v [])";
constexpr std::string_view quantizedPool =
    "(t [n, h, w, c], u a, u b; ksize : ints(4), strides : ints(4), padding : padding)"
    " -> (t [n, conv_out(h, ksize[1], strides[1], padding[0], 1), conv_out(w, ksize[2], strides[2], padding[1], 1), c],"
    " u [], u [])";
constexpr std::string_view quantizedUnary = "(t s, u a, u b) -> (v s, u [], u [])";
constexpr std::string_view quantizedBinary = "(t a, u b, v c, v d, v e, v f) -> (x (a # b), v [], v [])";

// What the smallest and the largest number of the first outlet stand for, where the operator says so.
Outcome giveRange(RuleNode& n) {
  for (std::size_t port = 1; port < 3; ++port) n.giveShape({}, port);
  return Outcome::done;
}

// The values are as many as what is to be joined; ranges follow.
Outcome quantizedConcat(RuleNode& n, std::string_view) {
  auto count = static_cast<std::size_t>(n.integer("N"));
  std::size_t first = n.node.op == "QuantizedConcat" ? 1 : 0;
  auto axis = n.number(first == 1 ? 0 : count);
  if (!axis || count + first > n.count()) return Outcome::waits;
  std::vector<TypedId> parts;
  for (std::size_t i = 0; i < count; ++i) parts.push_back(n.in(first + i));
  n.giveTypesOnly();
  Outcome outcome = n.give(parts.size() == 1 ? parts[0] : n.op("concat", parts, {{"axis", n.t.integer(*axis)}}));
  return outcome == Outcome::done ? giveRange(n) : outcome;
}

// The two matrices, one of them perhaps transposed, and how far each reaches.
Outcome quantizedProduct(RuleNode& n, std::string_view) {
  auto matrix = [&](std::size_t i, const char* attribute) -> std::optional<TypedId> {
    TypeId wanted = n.t.tensor(n.t.unknownElem(), n.t.shape({n.t.unknownSize("m"), n.t.unknownSize("k")}), n.places.op);
    if (!n.t.unify(wanted, n.t.typeOf(n.in(i)), n.places.inputs[i], "`" + n.node.op + "`")) return std::nullopt;
    TypedId value = n.twin(n.in(i), ElemTerm::of(Elem::f32));
    if (!n.flag(attribute)) return value;
    return n.op("swap_axes", {value}, {{"a", n.t.integer(0)}, {"b", n.t.integer(1)}});
  };
  auto a = matrix(0, "transpose_a"), b = matrix(1, "transpose_b");
  if (!a || !b) return Outcome::failed;
  n.giveTypesOnly();
  Outcome outcome = n.give(n.op("matmul", {*a, *b}));
  return outcome == Outcome::done ? giveRange(n) : outcome;
}

constexpr Rule rows[] = {
    {"FakeQuantWithMinMaxArgs", bySignature, "(t s) -> t s"},
    {"FakeQuantWithMinMaxVars", bySignature, "(t s, t [], t []) -> t s"},
    {"FakeQuantWithMinMaxVarsPerChannel", bySignature, "(t s @ [c], t [c], t [c]) -> t s @ [c]"},
    {"QuantizeAndDequantize", bySignature, "(t s) -> t s"},
    {"QuantizeAndDequantizeV2", bySignature, "(t s, t a, t b) -> t s"},
    {"QuantizeAndDequantizeV3", bySignature, "(t s, t a, t b, i []) -> t s"},
    {"QuantizeAndDequantizeV4", bySignature, "(t s, t a, t b) -> t s"},
    {"QuantizeV2", bySignature, "(t s, u m, u m) -> (v s, u m, u m)"},
    {"Dequantize", bySignature, "(t s, u m, u m) -> v s"},
    {"Requantize", bySignature, "(t s, u a, u b, u c, u d) -> (v s, u [], u [])"},
    {"RequantizationRange", bySignature, "(t s, u a, u b) -> (u [], u [])"},
    {"QuantizedMatMul", quantizedProduct},
    {"QuantizedConv2D", bySignature, quantizedConvolution},
    {"QuantizedMaxPool", bySignature, quantizedPool},
    {"QuantizedAvgPool", bySignature, quantizedPool},
    {"QuantizedRelu", bySignature, quantizedUnary},
    {"QuantizedRelu6", bySignature, quantizedUnary},
    {"QuantizedBiasAdd", bySignature, "(t s @ [c], u [c], v a, v b, v d, v e) -> (x s @ [c], v [], v [])"},
    {"QuantizedAdd", bySignature, quantizedBinary},
    {"QuantizedMul", bySignature, quantizedBinary},
    {"QuantizedMatMulWithBias", quantizedProduct},
    {"QuantizedMatMulWithBiasAndDequantize", quantizedProduct},
    {"QuantizedMatMulWithBiasAndRelu", quantizedProduct},
    {"QuantizedMatMulWithBiasAndReluAndRequantize", quantizedProduct},
    {"QuantizedMatMulWithBiasAndRequantize", quantizedProduct},
    {"QuantizedConcat", quantizedConcat},
    {"QuantizedConcatV2", quantizedConcat},
    {"QuantizeDownAndShrinkRange", bySignature, quantizedUnary},
    {"QuantizedReluX", bySignature, "(t s, u [], u a, u b) -> (v s, u [], u [])"},
    {"QuantizedInstanceNorm", bySignature, "(t [n, h, w, c], f [], f []) -> (t [n, h, w, c], f [], f [])"},
    {"QuantizedBatchNormWithGlobalNormalization", bySignature,
     "(t [n, h, w, c], f [], f [], t [c], f [], f [], t [c], f [], f [], t [c], f [], f [], t [c], f [], f []) -> (u "
     "[n, h, w, c], f [], f [])"},
    {"QuantizedResizeBilinear", bySignature,
     "(t [n, h, w, c], f [], f []; size : ints(2)) -> (t [n, size[0], size[1], c], f [], f [])"},
    {"RequantizePerChannel", bySignature, "(t s, u a, u b, u c, u d) -> (v s, u [], u [])"},
    {"RequantizationRangePerChannel", bySignature, "(t s, u a, u b) -> (u [], u [])"},
    {"UniformQuantize", bySignature, "(t s, f c, i d) -> u s"},
    {"UniformDequantize", bySignature, "(t s, f c, i d) -> u s"},
    {"UniformRequantize", bySignature, "(t s, f c, i d, f e, i g) -> u s"},
    {"UniformQuantizedClipByValue", bySignature, "(t s, t a, t b, f c, i d) -> t s"},
    {"UniformQuantizedAdd", bySignature, "(t a, t b, f c, i d, f e, i g, f h, i j) -> t (a # b)"},
    {"UniformQuantizedDot", bySignature, "(t [m, k], t [k, n], f c, i d, f e, i g, f h, i j) -> u [m, n]"},
    {"UniformQuantizedDotHybrid", bySignature, "(t [m, k], u [k, n], f c, i d) -> v [m, n]"},
};

}  // namespace

std::span<const Rule> quantizedRules() { return rows; }

}  // namespace axle::tensorflow
