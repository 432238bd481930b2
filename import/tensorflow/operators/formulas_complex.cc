// Formulas of complex numbers by their parts, which are a last axis: what only rearranges, or is linear, is done to
// each part by the rule for reals.
#include <deque>

#include "import/tensorflow/operators/formula.h"

namespace axle::tensorflow {
namespace {

bool areComplex(Formula& f) { return isComplex(f.n.fact(0).type) && f.n.rank(0); }

// What the node's rule makes of other values of these inputs, one for each complex one. Empty where that has no value.
std::vector<Ex> ofParts(Formula& f, const std::vector<Ex>& parts) {
  const Rule* rule = ruleNamed(f.n.node.op);
  if (!rule || rule->hasSignature()) return {};
  std::deque<OutletFact> facts;
  std::size_t next = 0;
  for (std::size_t i = 0; i < f.count(); ++i) {
    facts.push_back(f.n.fact(i));
    if (!isComplex(facts.back().type)) continue;
    if (next >= parts.size() || !parts[next]) return {};
    facts.back().type = facts.back().type == Type::c64 ? Type::f32 : Type::f64;
    facts.back().value = parts[next++].id;
  }
  std::vector<const OutletFact*> inputs;
  for (const OutletFact& fact : facts) inputs.push_back(&fact);
  RuleNode n = f.n.withInputs(std::move(inputs));
  if (rule->apply(n, rule->core) != Outcome::done || n.isTypesOnly()) return {};
  std::vector<Ex> made;
  for (TypedId result : n.results)
    for (TypedId value : n.t.bind(n.node.name, result, n.places.op)) {
      if (n.t.isOpaque(value)) return {};
      made.push_back({&f, value});
    }
  return made;
}

FormulaResults byParts(Formula& f) {
  std::vector<Ex> reals, imaginaries;
  for (std::size_t i = 0; i < f.count(); ++i)
    if (isComplex(f.n.fact(i).type)) {
      reals.push_back(f.re(f.in(i)));
      imaginaries.push_back(f.im(f.in(i)));
    }
  if (reals.empty()) return {};
  std::vector<Ex> a = ofParts(f, reals), b = ofParts(f, imaginaries);
  FormulaResults results;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) results.push_back(f.complexOf(a[i], b[i]));
  return results;
}

Ex first(const std::vector<Ex>& values) { return values.empty() ? Ex{} : values.front(); }

// (a + bi)(c + di), for products of all kinds. An adjoint is a transpose of the conjugate.
FormulaResults bilinear(Formula& f) {
  if (f.count() != 2 || !isComplex(f.n.fact(0).type) || !isComplex(f.n.fact(1).type)) return {};
  Ex a = f.re(f.in(0)), b = f.im(f.in(0)), c = f.re(f.in(1)), d = f.im(f.in(1));
  if (f.n.node.op.starts_with("BatchMatMul")) {
    if (f.n.flag("adj_x")) b = -b;
    if (f.n.flag("adj_y")) d = -d;
  }
  auto times = [&](Ex x, Ex y) { return first(ofParts(f, {x, y})); };
  Ex ac = times(a, c), bd = times(b, d), ad = times(a, d), bc = times(b, c);
  if (!ac || !bd || !ad || !bc) return {};
  return {f.complexOf(ac - bd, ad + bc)};
}

FormulaResults quotient(Formula& f) {
  if (!areComplex(f)) return {};
  Ex a = f.re(f.in(0)), b = f.im(f.in(0)), c = f.re(f.in(1)), d = f.im(f.in(1));
  Ex size = c * c + d * d;
  return {f.complexOf((a * c + b * d) / size, (b * c - a * d) / size)};
}

FormulaResults reciprocal(Formula& f) {
  if (!areComplex(f)) return {};
  Ex a = f.re(f.in(0)), b = f.im(f.in(0)), size = a * a + b * b;
  return {f.complexOf(a / size, -b / size)};
}

FormulaResults square(Formula& f) {
  if (!areComplex(f)) return {};
  Ex a = f.re(f.in(0)), b = f.im(f.in(0));
  return {f.complexOf(a * a - b * b, a * b * 2.0)};
}

// The one of the right half plane.
Ex root(Formula& f, Ex z) {
  Ex a = f.re(z), b = f.im(z), size = apply("sqrt", (apply("hypot", a, b) + apply("abs", a)) * 0.5);
  Ex other = choose(size == 0.0, 0, apply("abs", b) / (size * 2.0));
  Ex re = choose(a < 0.0, other, size), im = choose(a < 0.0, size, other);
  return f.complexOf(re, choose(b < 0.0, -im, im));
}

FormulaResults squareRoot(Formula& f) { return areComplex(f) ? FormulaResults{root(f, f.in(0))} : FormulaResults(); }

FormulaResults reciprocalRoot(Formula& f) {
  if (!areComplex(f)) return {};
  Ex z = root(f, f.in(0)), a = f.re(z), b = f.im(z), size = a * a + b * b;
  return {f.complexOf(a / size, -b / size)};
}

FormulaResults logarithm(Formula& f) {
  if (!areComplex(f)) return {};
  Ex a = f.re(f.in(0)), b = f.im(f.in(0));
  return {f.complexOf(apply("log", apply("hypot", a, b)), apply("atan2", b, a))};
}

FormulaResults real(Formula& f) { return {f.re(f.in(0))}; }
FormulaResults imaginary(Formula& f) { return {f.im(f.in(0))}; }
FormulaResults magnitude(Formula& f) { return {apply("hypot", f.re(f.in(0)), f.im(f.in(0)))}; }
FormulaResults angle(Formula& f) { return {apply("atan2", f.im(f.in(0)), f.re(f.in(0)))}; }
FormulaResults conjugate(Formula& f) { return {f.complexOf(f.re(f.in(0)), -f.im(f.in(0)))}; }

FormulaResults complexNumber(Formula& f) {
  auto made = f.outletDims(0);
  if (!made || made->empty()) return {};
  made->pop_back();
  return {f.complexOf(f.stretched(f.in(0), *made), f.stretched(f.in(1), *made))};
}

FormulaResults sum(Formula& f) { return areComplex(f) ? FormulaResults{f.in(0) + f.in(1)} : FormulaResults(); }
FormulaResults difference(Formula& f) { return areComplex(f) ? FormulaResults{f.in(0) - f.in(1)} : FormulaResults(); }
FormulaResults negated(Formula& f) { return areComplex(f) ? FormulaResults{-f.in(0)} : FormulaResults(); }

FormulaResults product(Formula& f) {
  if (!areComplex(f)) return {};
  Ex a = f.re(f.in(0)), b = f.im(f.in(0)), c = f.re(f.in(1)), d = f.im(f.in(1));
  return {f.complexOf(a * c - b * d, a * d + b * c)};
}

FormulaResults exponential(Formula& f) {
  if (!areComplex(f)) return {};
  Ex size = apply("exp", f.re(f.in(0)));
  return {f.complexOf(size * apply("cos", f.im(f.in(0))), size * apply("sin", f.im(f.in(0))))};
}

FormulaResults cast(Formula& f) {
  auto to = f.n.type("DstT");
  if (!to || !elementOf(*to)) return {};
  const bool from = isComplex(f.n.fact(0).type), into = isComplex(*to);
  if (from && into) return {f.cast(f.in(0), f.elemOf(*to))};
  if (from) return {f.converted(f.re(f.in(0)), f.elemOf(*to))};
  if (!into) return {};
  Ex x = f.cast(f.in(0), f.elemOf(*to));
  return {f.complexOf(x, x * 0.0)};
}

constexpr FormulaRow rows[] = {
    {"Add", sum},
    {"AddV2", sum},
    {"Angle", angle},
    {"BatchMatMul", bilinear},
    {"BatchMatMulV2", bilinear},
    {"BatchToSpaceND", byParts},
    {"BroadcastTo", byParts},
    {"Cast", cast},
    {"Complex", complexNumber},
    {"ComplexAbs", magnitude},
    {"Concat", byParts},
    {"ConcatV2", byParts},
    {"Conj", conjugate},
    {"Cumsum", byParts},
    {"Div", quotient},
    {"Einsum", bilinear},
    {"Exp", exponential},
    {"ExpandDims", byParts},
    {"GatherNd", byParts},
    {"GatherV2", byParts},
    {"Imag", imaginary},
    {"Log", logarithm},
    {"MatMul", bilinear},
    {"Mean", byParts},
    {"Mul", product},
    {"Neg", negated},
    {"Pack", byParts},
    {"Pad", byParts},
    {"Real", real},
    {"RealDiv", quotient},
    {"Reciprocal", reciprocal},
    {"Reshape", byParts},
    {"ReverseV2", byParts},
    {"Roll", byParts},
    {"Rsqrt", reciprocalRoot},
    {"SelectV2", byParts},
    {"Slice", byParts},
    {"SpaceToBatchND", byParts},
    {"Split", byParts},
    {"SplitV", byParts},
    {"Sqrt", squareRoot},
    {"Square", square},
    {"Squeeze", byParts},
    {"StridedSlice", byParts},
    {"Sub", difference},
    {"Sum", byParts},
    {"Tile", byParts},
    {"Transpose", byParts},
    {"Unpack", byParts},
    {"ZerosLike", byParts},
};

}  // namespace

std::span<const FormulaRow> complexFormulas() { return rows; }

}  // namespace axle::tensorflow
