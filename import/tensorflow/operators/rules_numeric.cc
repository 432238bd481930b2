// Decompositions of matrices, special functions, losses: types only so far.
#include "import/tensorflow/operators/axes.h"

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
constexpr std::string_view normalized =
    "(t s @ [c], u [c], u [c], u a, u b) -> (t s @ [c], u [c], u [c], u [c], u [c])";
constexpr std::string_view normalizedFirst =
    "(t [n, c] @ s, u [c], u [c], u a, u b) -> (t [n, c] @ s, u [c], u [c], u [c], u [c])";
constexpr std::string_view normalizedV3 =
    "(t s @ [c], u [c], u [c], u a, u b) -> (t s @ [c], u [c], u [c], u [c], u [c], u r)";
constexpr std::string_view normalizedV3First =
    "(t [n, c] @ s, u [c], u [c], u a, u b) -> (t [n, c] @ s, u [c], u [c], u [c], u [c], u r)";

// Of the running mean and variance there is one for each channel too, but in training, where they may be left empty.
Outcome batchNorm(RuleNode& n, std::string_view signature) {
  for (std::size_t i = 0; i < n.count(); ++i)
    if (!n.isTensor(i)) return Outcome::unknown;
  Shape image;
  for (int i = 0; i < (n.text("data_format").find('D') == std::string::npos ? 4 : 5); ++i)
    image.push_back(ShapePart::of(n.t.unknownSize("d")));
  TypeId wanted = n.t.tensor(n.t.unknownElem(), std::move(image), n.places.op);
  if (!n.t.unify(wanted, n.t.typeOf(n.in(0)), n.places.op, "`" + n.node.op + "`")) return Outcome::failed;
  if (!n.flag("is_training"))
    for (std::size_t i = 3; i < n.count(); ++i)
      if (!n.t.unify(n.t.typeOf(n.in(1)), n.t.typeOf(n.in(i)), n.places.inputs[i], "`" + n.node.op + "`"))
        return Outcome::failed;
  return bySignature(n, signature);
}

// The same, with what is added before the activation.
Outcome fusedBatchNorm(RuleNode& n, std::string_view) {
  GraphTyper& t = n.t;
  Dim channels = t.unknownSize("c");
  std::vector<Dim> image;
  for (std::size_t i = 0; i < 4; ++i)
    image.push_back(i == (n.text("data_format") == "NCHW" ? 1U : 3U) ? channels : t.unknownSize("d"));
  TypeId whole = t.tensor(t.unknownElem(), t.shape(image), n.places.op);
  TypeId each = t.tensor(t.unknownElem(), t.shape({channels}), n.places.op);
  for (std::size_t i = 0; i < n.count(); ++i)
    if (i != 3 && i != 4 &&
        !t.unify(i == 1 || i == 2 ? each : whole, t.typeOf(n.in(i)), n.places.inputs[i], "`_FusedBatchNormEx`"))
      return Outcome::failed;
  n.giveShape(t.shape(image));
  for (std::size_t port = 1; port < 5; ++port) n.giveShape(t.shape({channels}), port);
  return n.giveShape(t.unknownShape("s"), 5);
}

// So many decodings, each as a sparse tensor: all indices come first, then all values, then all shapes.
Outcome beamSearch(RuleNode& n, std::string_view) {
  GraphTyper& t = n.t;
  Dim batch = t.unknownSize("b");
  TypeId wanted = t.tensor(t.unknownElem(), t.shape({t.unknownSize("n"), batch, t.unknownSize("c")}), n.places.op);
  if (!t.unify(wanted, t.typeOf(n.in(0)), n.places.op, "`" + n.node.op + "`")) return Outcome::failed;
  std::int64_t paths = n.integer("top_paths");
  std::vector<Dim> counts;
  for (std::int64_t i = 0; i < paths; ++i) counts.push_back(t.unknownSize("k"));
  std::size_t port = 0;
  for (Dim k : counts) n.giveShape(t.shape({k, t.constant(2)}), port++);
  for (Dim k : counts) n.giveShape(t.shape({k}), port++);
  for (std::size_t i = 0; i < counts.size(); ++i) n.giveShape(t.shape({t.constant(2)}), port++);
  return n.giveShape(t.shape({batch, t.constant(paths)}), port);
}

Outcome approxTopK(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  auto axis = axisWithin(n, n.integer("reduction_dimension", -1), dims->size());
  if (!axis) return Outcome::failed;
  (*dims)[*axis] = n.flag("aggregate_to_topk") ? n.t.constant(n.integer("k")) : n.t.unknownSize("k");
  giveDims(n, *dims, 0);
  return giveDims(n, *dims, 1);
}

// Each input by itself; then the boundaries of each.
Outcome bucketizeEach(RuleNode& n, std::string_view) {
  for (std::size_t port = 0; static_cast<std::int64_t>(port) < n.integer("num_features"); ++port) {
    Dim rows = n.t.unknownSize("n");
    TypeId wanted = n.t.tensor(n.t.unknownElem(), n.t.shape({rows}), n.places.op);
    if (!n.t.unify(wanted, n.t.typeOf(n.in(port)), n.places.inputs[port], "`BoostedTreesBucketize`"))
      return Outcome::failed;
    giveDims(n, {rows}, port);
  }
  return Outcome::done;
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
    {"BatchCholesky", bySignature, square},
    {"BatchMatrixInverse", bySignature, square},
    {"BatchCholeskyGrad", bySignature, "(t s @ [m, m], t s @ [m, m]) -> t s @ [m, m]"},
    {"BatchMatrixDeterminant", bySignature, "(t s @ [m, m]) -> t s"},
    {"BatchMatrixSolve", bySignature, "(t s @ [m, m], t s @ [m, k]) -> t s @ [m, k]"},
    {"BatchMatrixTriangularSolve", bySignature, "(t s @ [m, m], t s @ [m, k]) -> t s @ [m, k]"},
    {"BatchMatrixSolveLs", bySignature, "(t s @ [m, n], t s @ [m, k], u []) -> t s @ [n, k]"},
    {"BatchSvd", svd},
    {"BatchSelfAdjointEigV2", eigen},
    {"BatchSelfAdjointEig", bySignature, "(t s @ [m, m]) -> t s @ [m + 1, m]"},
    {"SelfAdjointEig", bySignature, "(t s @ [m, m]) -> t s @ [m + 1, m]"},
    {"BandedTriangularSolve", bySignature, "(t a @ [q, m], t b @ [m, k]) -> t (a # b) @ [m, k]"},
    {"TridiagonalSolve", bySignature, "(t s @ [3, m], t s @ [m, k]) -> t s @ [m, k]"},
    {"TridiagonalMatMul", bySignature, "(t s @ [1, m], t s @ [1, m], t s @ [1, m], t s @ [m, k]) -> t s @ [m, k]"},
    // Special functions.
    {"BesselK0e", bySignature, unary},
    {"BesselK1e", bySignature, unary},
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
    {"LRN", bySignature, "(t [n, h, w, c]) -> t [n, h, w, c]"},
    {"L2Loss", bySignature, "(t s) -> t []"},
    {"SoftmaxCrossEntropyWithLogits", crossEntropy},
    {"SparseSoftmaxCrossEntropyWithLogits", bySignature, "(t [b, c], i [b]) -> (t [b], t [b, c])"},
    {"CTCLoss", bySignature, "(t [n, b, c], i [k, 2], j [k], l [b]) -> (t [b], t [n, b, c])"},
    {"CTCGreedyDecoder", bySignature, "(t [n, b, c], i [b]) -> (j [k, 2], j [k], j [2], t [b, 1])"},
    {"InTopK", bySignature, "(t [b, c], i [b]) -> bool [b]"},
    {"InTopKV2", bySignature, "(t [b, c], i [b], i []) -> bool [b]"},
    {"NearestNeighbors", bySignature, "(t [n, d], t [m, d]; k : int) -> (i [n, k], t [n, k])"},
    {"BatchNormWithGlobalNormalization", bySignature, "(t [n, h, w, c], t [c], t [c], t [c], t [c]) -> t [n, h, w, c]"},
    {"_FusedBatchNormEx", fusedBatchNorm},
    {"BiasAddV1", bySignature, "(t s @ [c], t [c]) -> t s @ [c]"},
    {"CTCLossV2", bySignature, "(t [n, b, c], i [k, 2], j [k], l [b]) -> (t [b], t [n, b, c])"},
    {"CTCBeamSearchDecoder", beamSearch},
    // Counts.
    {"CumulativeLogsumexp", bySignature, "(t s, i []) -> t s"},
    {"IsotonicRegression", bySignature, "(t s) -> (u s, i s)"},
    {"TopKUnique", bySignature, "(t [n, m]; k : int) -> (t [n, k], i [n, k])"},
    {"TopKWithUnique", bySignature, "(t [n, m]; k : int) -> (t [n, k], i [n, k])"},
    {"ApproxTopK", approxTopK},
    {"MakeUnique", bySignature, "(t [n, m]) -> t [n, m]"},
    {"KthOrderStatistic", bySignature, "(t s @ [n]) -> t s"},
    {"CompareAndBitpack", bySignature, "(t s @ [n], t []) -> u s @ [n / 8]"},
    {"Fingerprint", bySignature, "(t [n] @ s, u []) -> v [n, 8]"},
    {"BoostedTreesBucketize", bucketizeEach},
    {"ToBool", bySignature, "(t s) -> bool []"},
    {"HistogramFixedWidth", bySignature, "(t s, t [2]; nbins : int) -> i [nbins]"},
    {"Bucketize", bySignature, "(t s) -> i s"},
    {"UpperBound", bySignature, "(t [b, n], t [b, m]) -> i [b, m]"},
    {"LowerBound", bySignature, "(t [b, n], t [b, m]) -> i [b, m]"},
    {"NthElement", bySignature, "(t s @ [n], i []) -> t s"},
};

}  // namespace

std::span<const Rule> numericRules() { return rows; }

}  // namespace axle::tensorflow
