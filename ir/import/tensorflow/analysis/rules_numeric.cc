// Decompositions of matrices, special functions, losses, random numbers, gradients: types only so far.
#include "ir/import/tensorflow/analysis/rule.h"

namespace axle::tensorflow {
namespace {

struct Matrices {
  Shape batch;
  Dim rows, columns;
};
std::optional<Matrices> matrices(RuleNode& n) {
  GraphTyper& t = n.t;
  Matrices m{t.unknownShape("s"), t.unknownSize("m"), t.unknownSize("n")};
  Shape shape = m.batch;
  for (Dim d : {m.rows, m.columns}) shape.push_back(ShapePart::of(d));
  TypeId wanted = t.tensor(t.unknownElem(), std::move(shape), n.places.op);
  if (!t.unify(wanted, t.typeOf(n.in(0)), n.places.op, "`" + n.node.op + "`")) return std::nullopt;
  return m;
}
Shape stacked(const Shape& batch, std::initializer_list<Dim> dims) {
  Shape shape = batch;
  for (Dim d : dims) shape.push_back(ShapePart::of(d));
  return shape;
}

// Of [m, n]: the min(m, n) singular values, and the vectors for them or (full_matrices) for all.
Outcome svd(RuleNode& n, std::string_view) {
  auto m = matrices(n);
  if (!m) return Outcome::failed;
  DimStore& dims = n.t.solution().dims;
  bool full = n.flag("full_matrices");
  Dim rank = dims.min(n.t.solution().resolve(m->rows), n.t.solution().resolve(m->columns));
  n.giveShape(stacked(m->batch, {rank}));
  bool vectors = n.flag("compute_uv");
  Shape none = n.t.shape({n.t.constant(0)});
  n.giveShape(vectors ? stacked(m->batch, {m->rows, full ? m->rows : rank}) : none, 1);
  return n.giveShape(vectors ? stacked(m->batch, {m->columns, full ? m->columns : rank}) : none, 2);
}

Outcome qr(RuleNode& n, std::string_view) {
  auto m = matrices(n);
  if (!m) return Outcome::failed;
  Dim rank = n.t.solution().dims.min(n.t.solution().resolve(m->rows), n.t.solution().resolve(m->columns));
  if (n.flag("full_matrices")) rank = m->rows;
  n.giveShape(stacked(m->batch, {m->rows, rank}));
  return n.giveShape(stacked(m->batch, {rank, m->columns}), 1);
}

Outcome eigen(RuleNode& n, std::string_view) {
  auto m = matrices(n);
  if (!m || !n.t.equate(m->rows, m->columns, n.places.op, "`" + n.node.op + "`")) return Outcome::failed;
  n.giveShape(stacked(m->batch, {m->rows}));
  bool vectors = n.flag("compute_v");
  return n.giveShape(vectors ? stacked(m->batch, {m->rows, m->rows}) : n.t.shape({n.t.constant(0)}), 1);
}

// Rows of one may be stretched to the other's.
Outcome crossEntropy(RuleNode& n, std::string_view) {
  GraphTyper& t = n.t;
  auto both = n.op("+", n.ins());
  if (!both) return Outcome::failed;
  Dim rows = t.unknownSize("b"), classes = t.unknownSize("c");
  TypeId wanted = t.tensor(t.unknownElem(), t.shape({rows, classes}), n.places.op);
  if (!t.unify(wanted, t.typeOf(*both), n.places.op, "`" + n.node.op + "`")) return Outcome::failed;
  n.giveShape(t.shape({rows}));
  return n.giveShape(t.shape({rows, classes}), 1);
}

constexpr std::string_view square = "(t s @ [m, m]) -> t s @ [m, m]";
constexpr std::string_view unary = "(t s) -> t s";
constexpr std::string_view binary = "(t a, t b) -> t (a # b)";
constexpr std::string_view gradient = "(t s, t s) -> t s";
constexpr std::string_view random = "(shape : shape) -> t sized(shape)";
constexpr std::string_view seeded = "(shape : shape, i [2]) -> t sized(shape)";
constexpr std::string_view normalized =
    "(t s @ [c], u [c], u [c], u a, u b) -> (t s @ [c], u [c], u [c], u [c], u [c])";
constexpr std::string_view normalizedFirst =
    "(t [n, c] @ s, u [c], u [c], u a, u b) -> (t [n, c] @ s, u [c], u [c], u [c], u [c])";
constexpr std::string_view normalizedV3 =
    "(t s @ [c], u [c], u [c], u a, u b) -> (t s @ [c], u [c], u [c], u [c], u [c], u r)";
constexpr std::string_view normalizedV3First =
    "(t [n, c] @ s, u [c], u [c], u a, u b) -> (t [n, c] @ s, u [c], u [c], u [c], u [c], u r)";
constexpr std::string_view normalizedGrad = "(t s, t s, u [c], v a, v b) -> (t s, v [c], v [c], v d, v e)";

// Of the running mean and variance there is one for each channel too, but in training, where they may be left empty.
Outcome batchNorm(RuleNode& n, std::string_view signature) {
  if (!n.flag("is_training"))
    for (std::size_t i = 3; i < n.count(); ++i)
      if (!n.t.unify(n.t.typeOf(n.in(1)), n.t.typeOf(n.in(i)), n.places.inputs[i], "`" + n.node.op + "`"))
        return Outcome::failed;
  return bySignature(n, signature);
}

constexpr Rule rows[] = {
    // Matrices.
    {"Cholesky", bySignature, square},
    {"MatrixInverse", bySignature, square},
    {"MatrixExponential", bySignature, square},
    {"MatrixLogarithm", bySignature, square},
    {"MatrixSquareRoot", bySignature, square},
    {"MatrixDeterminant", bySignature, "(t s @ [m, m]) -> t s"},
    {"LogMatrixDeterminant", bySignature, "(t s @ [m, m]) -> (t s, t s)"},
    {"MatrixSolve", bySignature, "(t s @ [m, m], t s @ [m, k]) -> t s @ [m, k]"},
    {"MatrixTriangularSolve", bySignature, "(t a @ [m, m], t b @ [m, k]) -> t (a # b) @ [m, k]"},
    {"MatrixSolveLs", bySignature, "(t s @ [m, n], t s @ [m, k], u []) -> t s @ [n, k]"},
    {"CholeskyGrad", bySignature, "(t s @ [m, m], t s @ [m, m]) -> t s @ [m, m]"},
    {"Lu", bySignature, "(t s @ [m, m]) -> (t s @ [m, m], i s @ [m])"},
    {"Svd", svd},
    {"Qr", qr},
    {"SelfAdjointEigV2", eigen},
    {"Eig", eigen},
    {"Cross", bySignature, "(t s @ [3], t s @ [3]) -> t s @ [3]"},
    // Special functions.
    {"Digamma", bySignature, unary},
    {"Lgamma", bySignature, unary},
    {"Erfc", bySignature, unary},
    {"Erfinv", bySignature, unary},
    {"Ndtri", bySignature, unary},
    {"BesselI0", bySignature, unary},
    {"BesselI1", bySignature, unary},
    {"BesselI0e", bySignature, unary},
    {"BesselI1e", bySignature, unary},
    {"BesselJ0", bySignature, unary},
    {"BesselJ1", bySignature, unary},
    {"BesselK0", bySignature, unary},
    {"BesselK1", bySignature, unary},
    {"BesselY0", bySignature, unary},
    {"BesselY1", bySignature, unary},
    {"Dawsn", bySignature, unary},
    {"Expint", bySignature, unary},
    {"FresnelCos", bySignature, unary},
    {"FresnelSin", bySignature, unary},
    {"Spence", bySignature, unary},
    {"Igamma", bySignature, binary},
    {"Igammac", bySignature, binary},
    {"IgammaGradA", bySignature, binary},
    {"Zeta", bySignature, binary},
    {"Polygamma", bySignature, binary},
    {"Betainc", bySignature, "(t a, t b, t c) -> t (a # b # c)"},
    // Normalisation and losses.
    {"FusedBatchNorm", batchNorm, normalized},
    {"FusedBatchNorm/NC", batchNorm, normalizedFirst},
    {"FusedBatchNormV2", batchNorm, normalized},
    {"FusedBatchNormV2/NC", batchNorm, normalizedFirst},
    {"FusedBatchNormV3", batchNorm, normalizedV3},
    {"FusedBatchNormV3/NC", batchNorm, normalizedV3First},
    {"FusedBatchNormGrad", bySignature, normalizedGrad},
    {"FusedBatchNormGradV2", bySignature, normalizedGrad},
    {"FusedBatchNormGradV3", bySignature, "(t s, t s, u [c], v a, v b, v f) -> (t s, v [c], v [c], v d, v e)"},
    {"LRN", bySignature, "(t [n, h, w, c]) -> t [n, h, w, c]"},
    {"L2Loss", bySignature, "(t s) -> t []"},
    {"SoftmaxCrossEntropyWithLogits", crossEntropy},
    {"SparseSoftmaxCrossEntropyWithLogits", bySignature, "(t [b, c], i [b]) -> (t [b], t [b, c])"},
    {"CTCLoss", bySignature, "(t [n, b, c], i [k, 2], j [k], l [b]) -> (t [b], t [n, b, c])"},
    {"CTCGreedyDecoder", bySignature, "(t [n, b, c], i [b]) -> (j [k, 2], j [k], j [2], t [b, 1])"},
    {"InTopK", bySignature, "(t [b, c], i [b]) -> bool [b]"},
    {"InTopKV2", bySignature, "(t [b, c], i [b], i []) -> bool [b]"},
    {"NearestNeighbors", bySignature, "(t [n, d], t [m, d]; k : int) -> (i [n, k], t [n, k])"},
    // Counts.
    {"HistogramFixedWidth", bySignature, "(t s, t [2]; nbins : int) -> i [nbins]"},
    {"Bucketize", bySignature, "(t s) -> i s"},
    {"UpperBound", bySignature, "(t [b, n], t [b, m]) -> i [b, m]"},
    {"LowerBound", bySignature, "(t [b, n], t [b, m]) -> i [b, m]"},
    {"NthElement", bySignature, "(t s @ [n], i []) -> t s"},
    // Random numbers.
    {"RandomUniform", bySignature, random},
    {"RandomStandardNormal", bySignature, random},
    {"TruncatedNormal", bySignature, random},
    {"RandomUniformInt", bySignature, "(shape : shape, t [], t []) -> t sized(shape)"},
    {"RandomGamma", bySignature, "(shape : shape, t a) -> t sized(shape) @ a"},
    {"RandomPoisson", bySignature, "(shape : shape, t a) -> t sized(shape) @ a"},
    {"RandomPoissonV2", bySignature, "(shape : shape, t a) -> u sized(shape) @ a"},
    {"RandomShuffle", bySignature, unary},
    {"Multinomial", bySignature, "(t [b, c]; num_samples : int) -> i [b, num_samples]"},
    {"StatelessMultinomial", bySignature, "(t [b, c], j [2]; num_samples : int) -> i [b, num_samples]"},
    {"StatelessRandomUniform", bySignature, seeded},
    {"StatelessRandomNormal", bySignature, seeded},
    {"StatelessTruncatedNormal", bySignature, seeded},
    {"StatelessRandomUniformInt", bySignature, "(shape : shape, i [2], t [], t []) -> t sized(shape)"},
    {"StatelessRandomUniformV2", bySignature, "(shape : shape, i k, j c, l []) -> t sized(shape)"},
    {"StatelessRandomNormalV2", bySignature, "(shape : shape, i k, j c, l []) -> t sized(shape)"},
    {"StatelessTruncatedNormalV2", bySignature, "(shape : shape, i k, j c, l []) -> t sized(shape)"},
    {"LogUniformCandidateSampler", bySignature,
     "(i [b, m]; num_sampled : int) -> (i [num_sampled], f [b, m], f [num_sampled])"},
    {"UniformCandidateSampler", bySignature,
     "(i [b, m]; num_sampled : int) -> (i [num_sampled], f [b, m], f [num_sampled])"},
    // Gradients.
    {"ReluGrad", bySignature, gradient},
    {"Relu6Grad", bySignature, gradient},
    {"LeakyReluGrad", bySignature, gradient},
    {"EluGrad", bySignature, gradient},
    {"SeluGrad", bySignature, gradient},
    {"SigmoidGrad", bySignature, gradient},
    {"TanhGrad", bySignature, gradient},
    {"SqrtGrad", bySignature, gradient},
    {"RsqrtGrad", bySignature, gradient},
    {"ReciprocalGrad", bySignature, gradient},
    {"SoftplusGrad", bySignature, gradient},
    {"SoftsignGrad", bySignature, gradient},
    {"BiasAddGrad", bySignature, "(t s @ [c]) -> t [c]"},
    {"BiasAddGrad/NC", bySignature, "(t [n, c] @ s) -> t [c]"},
    {"MaxPoolGrad", bySignature, "(t s, t r, t r) -> t s"},
};

}  // namespace

std::span<const Rule> numericRules() { return rows; }

}  // namespace axle::tensorflow
