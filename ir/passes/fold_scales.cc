// Moves scales and shifts beside convolutions and matrix products into their weights and into one bias, which constant
// folding computes. Results differ only by rounding. Applies to 32- and 64-bit floats, and only to chains that begin at
// a convolution or a product, so that sums which round on purpose stay as they are.
#include "ir/passes/attributes.h"
#include "ir/passes/match.h"

namespace axle::ir {

using namespace pattern;

namespace {

bool folds(const Found& f) {
  const Elem elem = f.resultFact().elem;
  return f.context.evaluate && (elem == Elem::f32 || elem == Elem::f64);
}

std::optional<std::int64_t> elementsOf(const Found& f, const Fact& fact) {
  return f.dims().asConstant(elementCount(f.dims(), fact.shape));
}

// Whether the rewrite would store large weights twice: others read them, too.
bool sharesLargeWeights(const Found& f, const Pattern& weights) {
  constexpr std::int64_t small = 16384;
  const std::optional<std::int64_t> count = elementsOf(f, f.fact(weights));
  return !f.isReadOnce(f[weights]) && (!count || *count > small);
}

// Whether all axes of a constant but the last have size 1, and it has at most `rank` axes.
bool isAlongLast(const Found& f, const Fact& fact, std::size_t rank) {
  if (fact.shape.size() > rank) return false;
  for (std::size_t i = 0; i + 1 < fact.shape.size(); ++i)
    if (f.dims().asConstant(fact.shape[i]) != 1) return false;
  return true;
}

bool isScalar(const Found& f, const Fact& fact) { return elementsOf(f, fact) == 1; }

// ---- after: conv(x, w)*s is conv(x, w*s)

bool keepsResult(const Found& f) { return f.factOf(1).shape == f.resultFact().shape; }

bool scalesResults(const Found& f) {
  return folds(f) && keepsResult(f) && isAlongLast(f, f.fact(s), f.resultFact().shape.size()) &&
         !sharesLargeWeights(f, w);
}

// Scales the weights with the operator that scales the results.
OutletId scaleWeights(const Found& f, PatchBuilder& p) {
  p.comeFrom(f.named(1).outputs[0]);
  const OutletId weights = p.wire(f.rootNode().op, {f[w], f[s]});
  if (!weights || p.tap(weights).shape != f.fact(w).shape) return {};
  return p.wire(f.named(1).op, {f[x], weights}, f.named(1).attributes, &f.resultFact());
}

bool negatesResults(const Found& f) { return folds(f) && !sharesLargeWeights(f, w); }

OutletId negateWeights(const Found& f, PatchBuilder& p) {
  p.comeFrom(f.named(1).outputs[0]);
  return p.wire(f.named(1).op, {f[x], p.wire(Op::neg, {f[w]})}, f.named(1).attributes, &f.resultFact());
}

// matmul(w, x)*s, where s is the same for all columns.
bool scalesRows(const Found& f) {
  return folds(f) && keepsResult(f) && !f.fact(s).shape.empty() && f.dims().asConstant(f.fact(s).shape.back()) == 1 &&
         !sharesLargeWeights(f, w);
}

OutletId scaleLeftWeights(const Found& f, PatchBuilder& p) {
  p.comeFrom(f.named(1).outputs[0]);
  const OutletId weights = p.wire(f.rootNode().op, {f[w], f[s]});
  if (!weights || p.tap(weights).shape != f.fact(w).shape) return {};
  return p.wire(Op::matmul, {weights, f[x]});
}

// ---- chains: (y + a)*s is y*s + a*s, where y is a convolution or a product

bool isLinear(const Found& f, OutletId outlet) {
  const Node& node = f.inGraph().producer(outlet);
  return (node.op == Op::conv || node.op == Op::matmul) && f.isReadOnce(outlet) &&
         (isConstant(f, node.inputs[1]) || (node.op == Op::matmul && isConstant(f, node.inputs[0])));
}

bool isAffine(const Found& f) { return folds(f) && isLinear(f, f[x]) && f.fact(x).shape == f.resultFact().shape; }
bool scalesAffine(const Found& f) { return isAffine(f) && isAlongLast(f, f.fact(s), f.resultFact().shape.size()); }

// Combines two constants, if the result is as large as one of them.
OutletId combine(const Found& f, PatchBuilder& p, Op op, const Pattern& a, const Pattern& b) {
  const OutletId both = p.wire(op, {f[a], f[b]});
  if (!both) return {};
  const auto count = elementsOf(f, p.tap(both)), left = elementsOf(f, f.fact(a)), right = elementsOf(f, f.fact(b));
  return count && left && right && (*count == *left || *count == *right) ? both : OutletId();
}

OutletId scaleSum(const Found& f, PatchBuilder& p) {
  const Op op = f.rootNode().op;
  const OutletId shift = combine(f, p, op, c, s);
  const OutletId scaled = p.wire(op, {f[x], f[s]});
  return shift ? p.wire(Op::add, {scaled, shift}) : OutletId();
}

OutletId addShifts(const Found& f, PatchBuilder& p) {
  const OutletId shift = combine(f, p, Op::add, c, s);
  return shift ? p.wire(Op::add, {f[x], shift}) : OutletId();
}

// x + c - s is x + (c - s), and s - (x + c) is -x + (s - c).
OutletId subtractShift(const Found& f, PatchBuilder& p) {
  const OutletId shift = combine(f, p, Op::sub, c, s);
  return shift ? p.wire(Op::add, {f[x], shift}) : OutletId();
}
OutletId subtractSum(const Found& f, PatchBuilder& p) {
  const OutletId shift = combine(f, p, Op::sub, s, c);
  return shift ? p.wire(Op::add, {p.wire(Op::neg, {f[x]}), shift}) : OutletId();
}

// x - c is x + -c, and c - x is -x + c.
OutletId addNegative(const Found& f, PatchBuilder& p) { return p.wire(Op::add, {f[x], p.wire(Op::neg, {f[c]})}); }
OutletId negateAndAdd(const Found& f, PatchBuilder& p) { return p.wire(Op::add, {p.wire(Op::neg, {f[x]}), f[c]}); }
OutletId negateSum(const Found& f, PatchBuilder& p) {
  return p.wire(Op::add, {p.wire(Op::neg, {f[x]}), p.wire(Op::neg, {f[c]})});
}

// ---- before: conv(x*s, w) is conv(x, w') with scaled input channels

bool scalesOperand(const Found& f) {
  return folds(f) && f.fact(x).shape == f.factOf(1).shape && isAlongLast(f, f.fact(s), f.fact(x).shape.size()) &&
         !sharesLargeWeights(f, w);
}

// Scales the filter's input channels, axis rank - 2, by the constant as a column. For a grouped convolution, splits the
// filter's result channels by group.
OutletId scaleInputChannels(const Found& f, PatchBuilder& p, Op op) {
  DimStore& dims = f.dims();
  if (isScalar(f, f.fact(s))) return p.wire(op, {f[w], p.wireReshape(f[s], {})});
  const std::vector<Dim>& filter = f.fact(w).shape;
  const Dim depth = filter[filter.size() - 2], one = dims.constant(1);
  const Dim groups = f.rootNode().op == Op::conv ? as<ConvAttributes>(f.rootNode()).groups : one;
  if (dims.asConstant(groups) == 1) return p.wire(op, {f[w], p.wireReshape(f[s], {depth, one})});
  const auto count = dims.asConstant(groups), results = dims.asConstant(filter.back());
  if (!count || !results || *count < 1 || *results % *count != 0) return {};
  std::vector<Dim> split(filter.begin(), filter.end() - 1);
  split.insert(split.end(), {groups, dims.constant(*results / *count)});
  const OutletId byGroup = p.wire(Op::transpose, {p.wireReshape(f[s], {groups, depth})}, PermAttributes{{1, 0}});
  const OutletId scale = p.wireReshape(byGroup, {depth, groups, one});
  return p.wireReshape(p.wire(op, {p.wireReshape(f[w], split), scale}), filter);
}

OutletId scaleOperandWeights(const Found& f, PatchBuilder& p) {
  const OutletId weights = scaleInputChannels(f, p, f.named(1).op);
  if (!weights || p.tap(weights).shape != f.fact(w).shape) return {};
  return p.wire(f.rootNode().op, {f[x], weights}, f.rootNode().attributes, &f.resultFact());
}

// ---- before: conv(x + b, w) is conv(x, w) + conv(b, w), if no tap falls outside of the image

bool shiftsOperand(const Found& f) {
  if (!folds(f) || f.fact(x).shape != f.factOf(1).shape || !isAlongLast(f, f.fact(s), f.fact(x).shape.size()))
    return false;
  if (f.rootNode().op == Op::matmul) return f.fact(w).shape.size() == 2;
  const auto& conv = as<ConvAttributes>(f.rootNode());
  for (const auto& [sizes, number] : {std::pair(&conv.before, 0), {&conv.after, 0}, {&conv.spreads, 1}})
    for (Dim size : *sizes)
      if (f.dims().asConstant(size) != number) return false;
  return true;
}

// Returns the shift of each result channel: the product of the shift with the weights.
OutletId shiftOfResults(const Found& f, PatchBuilder& p) {
  DimStore& dims = f.dims();
  const Dim one = dims.constant(1), zero = dims.constant(0);
  const OutletId nothing = p.wireScalar(f.resultFact().elem, false);
  OutletId sums = f[w];
  const bool isScalarShift = isScalar(f, f.fact(s));
  for (std::size_t left = p.tap(sums).shape.size(); left > (isScalarShift ? 1U : 2U); --left)
    sums = p.wire(Op::reduceSum, {sums, nothing}, AxisAttributes{0});
  if (isScalarShift) return p.wire(Op::mul, {sums, p.wireReshape(f[s], {})});
  const std::vector<Dim> summed = p.tap(sums).shape;
  const Dim channels = f.fact(x).shape.back();
  if (f.rootNode().op == Op::matmul)
    return p.wireReshape(p.wire(Op::matmul, {p.wireReshape(f[s], {one, channels}), sums}), {summed[1]});
  const ConvAttributes point{{one}, {zero}, {zero}, {one}, {one}, as<ConvAttributes>(f.rootNode()).groups};
  const OutletId image = p.wireReshape(f[s], {one, one, channels});
  const OutletId filter = p.wireReshape(sums, {one, summed[0], summed[1]});
  const Fact declared{f.resultFact().elem, {one, one, summed[1]}, {}};
  return p.wireReshape(p.wire(Op::conv, {image, filter}, point, &declared), {summed[1]});
}

OutletId shiftResults(const Found& f, PatchBuilder& p) {
  OutletId shift = shiftOfResults(f, p);
  if (shift && f.named(1).op == Op::sub) shift = p.wire(Op::neg, {shift});
  const OutletId linear = p.wire(f.rootNode().op, {f[x], f[w]}, f.rootNode().attributes, &f.resultFact());
  return shift ? p.wire(Op::add, {linear, shift}) : OutletId();
}

}  // namespace

std::span<const Rule> scaleRules() {
  // clang-format off
  static const Rule rules[] = {
      {"scale after a convolution",    on(Op::mul, once(on(Op::conv, x, w).as(1)), s),          scaleWeights,        scalesResults},
      {"divide after a convolution",   on(Op::div, once(on(Op::conv, x, w).as(1)), s),          scaleWeights,        scalesResults},
      {"negate a convolution",         on(Op::neg, once(on(Op::conv, x, w).as(1))),             negateWeights,       negatesResults},
      {"scale after a product",        on(Op::mul, once(on(Op::matmul, x, w).as(1)), s),        scaleWeights,        scalesResults},
      {"divide after a product",       on(Op::div, once(on(Op::matmul, x, w).as(1)), s),        scaleWeights,        scalesResults},
      {"negate a product",             on(Op::neg, once(on(Op::matmul, x, w).as(1))),           negateWeights,       negatesResults},
      {"scale rows of a product",      on(Op::mul, once(on(Op::matmul, w, x).as(1)), s),        scaleLeftWeights,    scalesRows},
      {"divide rows of a product",     on(Op::div, once(on(Op::matmul, w, x).as(1)), s),        scaleLeftWeights,    scalesRows},
      {"subtract a constant",          on(Op::sub, x, c),                                       addNegative,         isAffine},
      {"subtract from a constant",     on(Op::sub, c, x),                                       negateAndAdd,        isAffine},
      {"negate a sum",                 on(Op::neg, once(on(Op::add, x, c))),                    negateSum,           isAffine},
      {"scale a sum",                  on(Op::mul, once(on(Op::add, x, c)), s),                 scaleSum,            scalesAffine},
      {"divide a sum",                 on(Op::div, once(on(Op::add, x, c)), s),                 scaleSum,            scalesAffine},
      {"two shifts",                   on(Op::add, once(on(Op::add, x, c)), s),                 addShifts,           isAffine},
      {"subtract a second shift",      on(Op::sub, once(on(Op::add, x, c)), s),                 subtractShift,       isAffine},
      {"subtract a sum",               on(Op::sub, s, once(on(Op::add, x, c))),                 subtractSum,         isAffine},
      {"scale before a convolution",   on(Op::conv, once(on(Op::mul, x, s).as(1)), w),          scaleOperandWeights, scalesOperand},
      {"divide before a convolution",  on(Op::conv, once(on(Op::div, x, s).as(1)), w),          scaleOperandWeights, scalesOperand},
      {"scale before a product",       on(Op::matmul, once(on(Op::mul, x, s).as(1)), w),        scaleOperandWeights, scalesOperand},
      {"divide before a product",      on(Op::matmul, once(on(Op::div, x, s).as(1)), w),        scaleOperandWeights, scalesOperand},
      {"shift before a convolution",   on(Op::conv, once(on(Op::add, x, s).as(1)), w),          shiftResults,        shiftsOperand},
      {"shift before a convolution",   on(Op::conv, once(on(Op::sub, x, s).as(1)), w),          shiftResults,        shiftsOperand},
      {"shift before a product",       on(Op::matmul, once(on(Op::add, x, s).as(1)), w),        shiftResults,        shiftsOperand},
      {"shift before a product",       on(Op::matmul, once(on(Op::sub, x, s).as(1)), w),        shiftResults,        shiftsOperand},
  };
  // clang-format on
  return rules;
}

}  // namespace axle::ir
