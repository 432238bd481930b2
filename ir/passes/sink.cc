// Moves transposes and reshapes past elementwise operators if they then meet others, with which they cancel or merge.
#include <algorithm>

#include "ir/passes/attributes.h"
#include "ir/passes/match.h"

namespace axle::ir {

using namespace pattern;

namespace {

constexpr int mostNodesAhead = 64;  // the most nodes that one search visits

bool passesOn(Op op, Op moved) {
  return isUnaryPointwise(op) || isBinaryPointwise(op) ||
         (moved == Op::transpose && (op == Op::concat || op == Op::pad));
}

// Whether an operator is a reduction. A transpose moves past it too, to a smaller tensor.
bool isReduction(Op op) {
  return op == Op::reduceSum || op == Op::reduceProd || op == Op::reduceMax || op == Op::reduceMin;
}

// Whether a reader of the outlet, directly or behind operators that `moved` can move past, is another `moved`.
bool meetsAnother(const Found& f, OutletId outlet, Op moved, int& left) {
  for (NodeId reader : f.uses.graphs[f.graph.index].readers[outlet.index]) {
    if (--left < 0) return false;
    const Node& node = f.inGraph()[reader];
    if (node.op == moved || (moved == Op::transpose && isReduction(node.op))) return true;
    if (passesOn(node.op, moved) && meetsAnother(f, node.outputs[0], moved, left)) return true;
  }
  return false;
}

bool meetsAnother(const Found& f, Op moved) {
  int left = mostNodesAhead;
  return meetsAnother(f, f.result(), moved, left);
}

bool meetsTranspose(const Found& f) { return meetsAnother(f, Op::transpose); }

// A reshape also moves away from a convolution or a product, so that the operator reads their results directly.
bool meetsReshape(const Found& f) {
  const Op from = f.inGraph().producer(f[x]).op;
  return from == Op::conv || from == Op::matmul || meetsAnother(f, Op::reshape);
}

Fact shaped(Elem elem, const std::vector<Dim>& shape) { return {elem, shape, {}}; }

// ---- past operators on single elements

OutletId unaryOnOperand(const Found& f, PatchBuilder& p) {
  const Fact declared = shaped(f.resultFact().elem, f.fact(x).shape);
  return p.wire(f.rootNode().op, {f[x]}, {}, &declared);
}

OutletId transposeUnary(const Found& f, PatchBuilder& p) {
  return p.wire(Op::transpose, {unaryOnOperand(f, p)}, f.named(1).attributes);
}
OutletId reshapeUnary(const Found& f, PatchBuilder& p) {
  return p.wireReshape(unaryOnOperand(f, p), f.resultFact().shape);
}

// ---- past operators on pairs

// Wires the operator with x in place of the node `moved`, and `other` as the other operand.
OutletId wirePair(const Found& f, PatchBuilder& p, const Node& moved, OutletId other) {
  const bool isFirst = f.rootNode().inputs[0] == moved.outputs[0];
  return isFirst ? p.wire(f.rootNode().op, {f[x], other}) : p.wire(f.rootNode().op, {other, f[x]});
}

bool isSamePermutation(const Found& f) {
  return as<PermAttributes>(f.named(1)).perm == as<PermAttributes>(f.named(2)).perm && !f.fact(x).shape.empty();
}

OutletId transposePair(const Found& f, PatchBuilder& p) {
  return p.wire(Op::transpose, {p.wire(f.rootNode().op, {f[x], f[y]})}, f.named(1).attributes);
}

bool isSameReshape(const Found& f) {
  return f.fact(x).shape == f.fact(y).shape && f.factOf(1).shape == f.factOf(2).shape;
}

OutletId reshapePair(const Found& f, PatchBuilder& p) {
  return p.wireReshape(p.wire(f.rootNode().op, {f[x], f[y]}), f.resultFact().shape);
}

// Moves a transpose past an operator with a constant, which is transposed back.
OutletId transposeBesideConstant(const Found& f, PatchBuilder& p) {
  DimStore& dims = f.dims();
  const std::vector<std::size_t> perm = as<PermAttributes>(f.named(1)).perm;
  std::vector<Dim> shape = f.fact(c).shape;
  OutletId constant = f[c];
  if (!shape.empty()) {
    if (shape.size() > perm.size()) return {};
    shape.insert(shape.begin(), perm.size() - shape.size(), dims.constant(1));
    constant = p.wire(Op::transpose, {p.wireReshape(constant, shape)}, PermAttributes{inversePermutation(perm)});
  }
  return p.wire(Op::transpose, {wirePair(f, p, f.named(1), constant)}, f.named(1).attributes);
}

bool keepsShapeOf1(const Found& f) { return f.factOf(1).shape == f.resultFact().shape; }
bool meetsTransposeBesideConstant(const Found& f) { return keepsShapeOf1(f) && meetsTranspose(f); }

// Whether a reshape can move past an operator with another operand: the other operand must be a scalar, or a vector
// along the last axis, which the reshape must keep.
bool meetsReshapeBesideOperand(const Found& f) {
  const std::vector<Dim>&other = f.fact(y).shape, &before = f.fact(x).shape, &after = f.resultFact().shape;
  if (!keepsShapeOf1(f) || other.size() > 1) return false;
  const bool keepsLast = !before.empty() && !after.empty() && before.back() == after.back();
  return (other.empty() || keepsLast) && meetsReshape(f);
}

OutletId reshapeBesideOperand(const Found& f, PatchBuilder& p) {
  return p.wireReshape(wirePair(f, p, f.named(1), f[y]), f.resultFact().shape);
}

// ---- past operators along an axis

OutletId transposeConcat(const Found& f, PatchBuilder& p) {
  std::vector<OutletId> parts;
  std::vector<std::size_t> perm;
  for (OutletId input : f.rootNode().inputs) {
    const Node& part = f.inGraph().producer(input);
    if (part.op != Op::transpose || !f.isReadOnce(input)) return {};
    const std::vector<std::size_t> own = as<PermAttributes>(part).perm;
    if (perm.empty()) perm = own;
    if (own != perm) return {};
    parts.push_back(part.inputs[0]);
  }
  if (perm.empty() || parts.size() < 2) return {};
  const std::size_t axis = perm[as<AxisAttributes>(f.rootNode()).axis];
  return p.wire(Op::transpose, {p.wire(Op::concat, parts, AxisAttributes{axis})}, PermAttributes{perm});
}

OutletId transposePad(const Found& f, PatchBuilder& p) {
  const Node& moved = f.inGraph().producer(f.rootNode().inputs[0]);
  if (moved.op != Op::transpose || !f.isReadOnce(f.rootNode().inputs[0])) return {};
  const std::vector<std::size_t> perm = as<PermAttributes>(moved).perm;
  const auto& pads = as<PadAttributes>(f.rootNode());
  PadAttributes turned = pads;
  for (std::size_t i = 0; i < perm.size(); ++i) {
    turned.before[perm[i]] = pads.before[i];
    turned.after[perm[i]] = pads.after[i];
  }
  std::vector<OutletId> inputs = f.rootNode().inputs;
  inputs[0] = moved.inputs[0];
  return p.wire(Op::transpose, {p.wire(Op::pad, inputs, turned)}, PermAttributes{perm});
}

// Whether a reduction starts from a scalar, which no transpose changes.
bool reducesFromScalar(const Found& f) { return f.fact(y).shape.empty(); }

OutletId transposeReduction(const Found& f, PatchBuilder& p) {
  const std::vector<std::size_t> perm = as<PermAttributes>(f.named(1)).perm;
  const std::size_t axis = perm[as<AxisAttributes>(f.rootNode()).axis];
  std::vector<std::size_t> rest;
  for (std::size_t from : perm)
    if (from != axis) rest.push_back(from > axis ? from - 1 : from);
  const bool isOnlyReader = f.isReadOnce(f.named(1).outputs[0]);
  if (!isOnlyReader && !std::is_sorted(rest.begin(), rest.end())) return {};
  const OutletId reduced = p.wire(f.rootNode().op, {f[x], f[y]}, AxisAttributes{axis});
  return p.wire(Op::transpose, {reduced}, PermAttributes{rest});
}

std::vector<Rule> makeSinkRules() {
  // clang-format off
  std::vector<Rule> rules{
      {"concatenate transposes", onAny(Op::concat), transposeConcat},
      {"pad a transpose",        onAny(Op::pad),    transposePad, meetsTranspose},
  };
  for (Op op : {Op::reduceSum, Op::reduceProd, Op::reduceMax, Op::reduceMin})
    rules.emplace_back("reduce a transpose", on(op, on(Op::transpose, x).as(1), y), transposeReduction, reducesFromScalar);
  for (const OpRow& row : opTable()) {
    const Op op = row.op;
    const Pattern transposed = once(on(Op::transpose, x).as(1)), reshaped = once(on(Op::reshape, x).as(1));
    if (isUnaryPointwise(op)) {
      rules.emplace_back("transpose after an operator", on(op, transposed), transposeUnary, meetsTranspose);
      rules.emplace_back("reshape after an operator",   on(op, reshaped),   reshapeUnary,   meetsReshape);
    }
    if (!isBinaryPointwise(op)) continue;
    rules.emplace_back("transpose after an operator", on(op, transposed, once(on(Op::transpose, y).as(2))), transposePair, isSamePermutation);
    rules.emplace_back("reshape after an operator",   on(op, reshaped, once(on(Op::reshape, y).as(2))),     reshapePair,   isSameReshape);
    for (const bool isFirst : {true, false}) {
      rules.emplace_back("transpose beside a constant", isFirst ? on(op, transposed, c) : on(op, c, transposed),
                         transposeBesideConstant, meetsTransposeBesideConstant);
      rules.emplace_back("reshape beside an operand", isFirst ? on(op, reshaped, y) : on(op, y, reshaped),
                         reshapeBesideOperand, meetsReshapeBesideOperand);
    }
  }
  // clang-format on
  const std::span<const Rule> structure = structureRules();
  rules.insert(rules.end(), structure.begin(), structure.end());
  return rules;
}

}  // namespace

std::span<const Rule> sinkRules() {
  static const std::vector<Rule> rules = makeSinkRules();
  return rules;
}

}  // namespace axle::ir
