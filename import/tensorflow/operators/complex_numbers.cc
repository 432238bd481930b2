// Complex numbers, whose two parts are a last axis. An operator that is linear or only rearranges elements is applied
// to each part by its rule for reals.
#include <deque>

#include "import/tensorflow/operators/complex_numbers.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow {
namespace {

bool areComplex(NodeFormula& f) { return isComplex(f.n.fact(0).type) && f.n.rank(0); }

// Returns the results of the node's type rule with other values for its complex inputs, in order. Empty if the rule
// gives types only.
std::vector<Expr> ofParts(NodeFormula& f, const std::vector<Expr>& parts) {
  const OperatorRow* row = findOperatorRow(f.n.node.op);
  if (!row || !row->type || row->type.hasSignature()) return {};
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
  if (row->type.apply(n) != Outcome::done || n.isTypesOnly()) return {};
  std::vector<Expr> made;
  for (TypedId result : n.results)
    for (TypedId value : n.t.bind(n.node.name, result, n.places.op)) {
      if (n.t.isOpaque(value)) return {};
      made.push_back({&f, value});
    }
  return made;
}

Expr firstOrNone(const std::vector<Expr>& values) { return values.empty() ? Expr{} : values.front(); }

// Returns the square root in the right half plane.
Expr squareRootOf(NodeFormula& f, Expr z) {
  Expr a = f.re(z), b = f.im(z), size = apply("sqrt", (apply("hypot", a, b) + apply("abs", a)) * 0.5);
  Expr other = choose(size == 0.0, 0, apply("abs", b) / (size * 2.0));
  Expr re = choose(a < 0.0, other, size), im = choose(a < 0.0, size, other);
  return f.complexOf(re, choose(b < 0.0, -im, im));
}

FormulaResults realPartFormula(NodeFormula& f) { return {f.re(f.in(0))}; }
FormulaResults imaginaryPartFormula(NodeFormula& f) { return {f.im(f.in(0))}; }
FormulaResults complexAbsFormula(NodeFormula& f) { return {apply("hypot", f.re(f.in(0)), f.im(f.in(0)))}; }
FormulaResults angleFormula(NodeFormula& f) { return {apply("atan2", f.im(f.in(0)), f.re(f.in(0)))}; }
FormulaResults conjugateFormula(NodeFormula& f) { return {f.complexOf(f.re(f.in(0)), -f.im(f.in(0)))}; }

FormulaResults complexFormula(NodeFormula& f) {
  auto made = f.outletDims(0);
  if (!made || made->empty()) return {};
  made->pop_back();
  return {f.complexOf(f.stretched(f.in(0), *made), f.stretched(f.in(1), *made))};
}

}  // namespace

FormulaResults byPartsFormula(NodeFormula& f) {
  std::vector<Expr> reals, imaginaries;
  for (std::size_t i = 0; i < f.count(); ++i)
    if (isComplex(f.n.fact(i).type)) {
      reals.push_back(f.re(f.in(i)));
      imaginaries.push_back(f.im(f.in(i)));
    }
  if (reals.empty()) return {};
  std::vector<Expr> a = ofParts(f, reals), b = ofParts(f, imaginaries);
  FormulaResults results;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) results.push_back(f.complexOf(a[i], b[i]));
  return results;
}

// Computes (a + bi)(c + di) for every kind of product. The adjoint of a matrix is the transpose of its conjugate.
FormulaResults bilinearFormula(NodeFormula& f) {
  if (f.count() != 2 || !isComplex(f.n.fact(0).type) || !isComplex(f.n.fact(1).type)) return {};
  Expr a = f.re(f.in(0)), b = f.im(f.in(0)), c = f.re(f.in(1)), d = f.im(f.in(1));
  if (f.n.node.op.starts_with("BatchMatMul")) {
    if (f.n.flag("adj_x")) b = -b;
    if (f.n.flag("adj_y")) d = -d;
  }
  auto times = [&](Expr x, Expr y) { return firstOrNone(ofParts(f, {x, y})); };
  Expr ac = times(a, c), bd = times(b, d), ad = times(a, d), bc = times(b, c);
  if (!ac || !bd || !ad || !bc) return {};
  return {f.complexOf(ac - bd, ad + bc)};
}

FormulaResults complexAddFormula(NodeFormula& f) {
  return areComplex(f) ? FormulaResults{f.in(0) + f.in(1)} : FormulaResults();
}
FormulaResults complexSubFormula(NodeFormula& f) {
  return areComplex(f) ? FormulaResults{f.in(0) - f.in(1)} : FormulaResults();
}
FormulaResults complexNegFormula(NodeFormula& f) { return areComplex(f) ? FormulaResults{-f.in(0)} : FormulaResults(); }

FormulaResults complexMulFormula(NodeFormula& f) {
  if (!areComplex(f)) return {};
  Expr a = f.re(f.in(0)), b = f.im(f.in(0)), c = f.re(f.in(1)), d = f.im(f.in(1));
  return {f.complexOf(a * c - b * d, a * d + b * c)};
}

FormulaResults complexDivFormula(NodeFormula& f) {
  if (!areComplex(f)) return {};
  Expr a = f.re(f.in(0)), b = f.im(f.in(0)), c = f.re(f.in(1)), d = f.im(f.in(1));
  Expr size = c * c + d * d;
  return {f.complexOf((a * c + b * d) / size, (b * c - a * d) / size)};
}

FormulaResults complexReciprocalFormula(NodeFormula& f) {
  if (!areComplex(f)) return {};
  Expr a = f.re(f.in(0)), b = f.im(f.in(0)), size = a * a + b * b;
  return {f.complexOf(a / size, -b / size)};
}

FormulaResults complexSquareFormula(NodeFormula& f) {
  if (!areComplex(f)) return {};
  Expr a = f.re(f.in(0)), b = f.im(f.in(0));
  return {f.complexOf(a * a - b * b, a * b * 2.0)};
}

FormulaResults complexSqrtFormula(NodeFormula& f) {
  return areComplex(f) ? FormulaResults{squareRootOf(f, f.in(0))} : FormulaResults();
}

FormulaResults complexRsqrtFormula(NodeFormula& f) {
  if (!areComplex(f)) return {};
  Expr z = squareRootOf(f, f.in(0)), a = f.re(z), b = f.im(z), size = a * a + b * b;
  return {f.complexOf(a / size, -b / size)};
}

FormulaResults complexLogFormula(NodeFormula& f) {
  if (!areComplex(f)) return {};
  Expr a = f.re(f.in(0)), b = f.im(f.in(0));
  return {f.complexOf(apply("log", apply("hypot", a, b)), apply("atan2", b, a))};
}

FormulaResults complexExpFormula(NodeFormula& f) {
  if (!areComplex(f)) return {};
  Expr size = apply("exp", f.re(f.in(0)));
  return {f.complexOf(size * apply("cos", f.im(f.in(0))), size * apply("sin", f.im(f.in(0))))};
}

FormulaResults complexCastFormula(NodeFormula& f) {
  auto to = f.n.type("DstT");
  if (!to || !elementOf(*to)) return {};
  const bool from = isComplex(f.n.fact(0).type), into = isComplex(*to);
  if (from && into) return {f.cast(f.in(0), f.elemOf(*to))};
  if (from) return {f.converted(f.re(f.in(0)), f.elemOf(*to))};
  if (!into) return {};
  Expr x = f.cast(f.in(0), f.elemOf(*to));
  return {f.complexOf(x, x * 0.0)};
}

namespace complex_numbers {

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name         type                        value  formula
    {"Real",        "(t s) -> u s",             {},    realPartFormula},
    {"Imag",        "(t s) -> u s",             {},    imaginaryPartFormula},
    {"Angle",       "(t s) -> u s",             {},    angleFormula},
    {"ComplexAbs",  "(t s) -> u s",             {},    complexAbsFormula},
    {"Conj",        "(t s) -> u s",             {},    conjugateFormula},
    {"Complex",     "(t a, t b) -> u (a # b)",  {},    complexFormula},
  };
  // clang-format on
  return rows;
}

}  // namespace complex_numbers
}  // namespace axle::tensorflow
