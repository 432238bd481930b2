// The arithmetic of the normal form: constants fold by `dims/arithmetic.h`, polynomials are added and multiplied, and
// the remaining part of a division, maximum or minimum becomes an atom.
#include <algorithm>
#include <compare>
#include <numeric>

#include "dims/dim.h"

namespace axle {
namespace {

// A product of more terms, or a higher power, counts as overflow: no model needs one, but hostile input could ask for
// it.
constexpr std::size_t maxProductTerms = 4096;
constexpr std::uint32_t maxPower = 4096;

// Multiplies two lists of factors: the powers of equal factors add.
std::vector<Factor> multiply(const std::vector<Factor>& a, const std::vector<Factor>& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  std::vector<Factor> out;
  out.reserve(a.size() + b.size());
  auto same = [](const Factor& x, const Factor& y) { return x.isAtom == y.isAtom && x.index == y.index; };
  auto before = [](const Factor& x, const Factor& y) { return x.isAtom != y.isAtom ? !x.isAtom : x.index < y.index; };
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && before(a[i], b[j]))) {
      out.push_back(a[i++]);
    } else if (i == a.size() || !same(a[i], b[j])) {
      out.push_back(b[j++]);
    } else {
      out.push_back({a[i].isAtom, a[i].index, a[i].power + b[j].power});
      ++i, ++j;
    }
  }
  return out;
}

// Returns a / b; none if a factor of b does not occur in a.
std::optional<std::vector<Factor>> divide(const std::vector<Factor>& a, const std::vector<Factor>& b) {
  std::vector<Factor> out = a;
  for (const Factor& f : b) {
    auto it = std::find_if(out.begin(), out.end(),
                           [&](const Factor& g) { return g.isAtom == f.isAtom && g.index == f.index; });
    if (it == out.end() || it->power < f.power) return std::nullopt;
    it->power -= f.power;
    if (it->power == 0) out.erase(it);
  }
  return out;
}

bool isExtreme(DimOp op) { return op == DimOp::max || op == DimOp::min; }

}  // namespace

Dim DimStore::apply(DimOp op, Dim a, Dim b) {
  if (isUndefined(a) || isUndefined(b)) return undefined();
  const auto left = asConstant(a), right = left ? asConstant(b) : std::nullopt;
  if (right) {
    const DimValue value = axle::apply(op, *left, *right);
    return value.known() ? constant(value.value) : undefined();
  }
  switch (op) {
    case DimOp::add:
      return sumOf(a, b, false);
    case DimOp::sub:
      return sumOf(a, b, true);
    case DimOp::mul:
      return productOf(a, b);
    case DimOp::div:
      return quotientOf(a, b);
    case DimOp::mod:
      return remainderOf(a, b);
    case DimOp::ceildiv:
      return roundedUpQuotientOf(a, b);
    case DimOp::max:
    case DimOp::min:
      return extremeOf(op, a, b);
    case DimOp::constant:
    case DimOp::symbol:
      break;
  }
  return undefined();
}

// Returns a + b or a - b by merging the sorted terms.
Dim DimStore::sumOf(Dim a, Dim b, bool isDifference) {
  const Terms &left = dims_[a.index].terms, &right = dims_[b.index].terms;
  if (left.empty() && !isDifference) return b;
  if (right.empty()) return a;
  if (isDifference && a == b) return constant(0);
  count(left.size() + right.size());
  Terms sum;
  sum.reserve(left.size() + right.size());
  for (std::size_t i = 0, j = 0; i < left.size() || j < right.size();) {
    const auto order = i == left.size()    ? std::strong_ordering::greater
                       : j == right.size() ? std::strong_ordering::less
                                           : left[i].factors <=> right[j].factors;
    const std::int64_t first = order <= 0 ? left[i].coefficient : 0, second = order >= 0 ? right[j].coefficient : 0;
    const DimValue both = axle::apply(DimOp::add, DimValue{first, DimState::known},
                                      axle::apply(isDifference ? DimOp::sub : DimOp::add, std::int64_t{0}, second));
    if (!both.known()) return undefined();
    if (both.value != 0) sum.push_back({both.value, order <= 0 ? left[i].factors : right[j].factors});
    i += order <= 0;
    j += order >= 0;
  }
  return internSorted(std::move(sum));
}

Dim DimStore::productOf(Dim a, Dim b) {
  const Terms& left = dims_[a.index].terms;
  const Terms& right = dims_[b.index].terms;
  if (left.size() * right.size() > maxProductTerms) return undefined();
  auto isOne = [](const Terms& t) { return t.size() == 1 && t[0].coefficient == 1 && t[0].factors.empty(); };
  if (isOne(left)) return b;
  if (isOne(right)) return a;
  Terms terms;
  terms.reserve(left.size() * right.size());
  for (const Term& x : left)
    for (const Term& y : right) {
      const DimValue coefficient = axle::apply(DimOp::mul, x.coefficient, y.coefficient);
      if (!coefficient.known()) return undefined();
      terms.push_back({coefficient.value, multiply(x.factors, y.factors)});
      for (const Factor& f : terms.back().factors)
        if (f.power > maxPower) return undefined();
    }
  return intern(std::move(terms));
}

// Returns floor(a / c) for c >= 1. Moves multiples of c out of the quotient, so the coefficients inside it are in [0,
// c).
Dim DimStore::divideByConstant(Dim a, std::int64_t c) {
  if (c == 1) return a;
  Terms quotient, rest;
  std::int64_t constantRest = 0, common = c;
  for (const Term& term : dims_[a.index].terms) {
    const std::int64_t q = floorDiv(term.coefficient, c), r = floorMod(term.coefficient, c);
    if (q != 0) quotient.push_back({q, term.factors});
    if (r == 0) continue;
    rest.push_back({r, term.factors});
    if (term.factors.empty())
      constantRest = r;
    else
      common = std::gcd(common, r);
  }
  Dim whole = intern(std::move(quotient));
  bool onlyConstant = std::all_of(rest.begin(), rest.end(), [](const Term& t) { return t.factors.empty(); });
  if (onlyConstant) return whole;
  if (common > 1) {  // floor((g*p + k) / (g*c')) = floor((p + floor(k / g)) / c')
    for (Term& term : rest) term.coefficient /= common;
    Dim inner = intern(std::move(rest));
    return add(whole, divideByConstant(inner, c / common));
  }
  bool nested = rest.size() == (constantRest != 0 ? 2u : 1u);
  if (nested) {  // floor((floor(x / a) + k) / c) = floor((x + k*a) / (a*c))
    const Term& term = rest[0].factors.empty() ? rest[1] : rest[0];
    if (term.coefficient == 1 && term.factors.size() == 1 && term.factors[0].isAtom && term.factors[0].power == 1) {
      Atom atom = atoms_[term.factors[0].index];
      auto divisor = asConstant(atom.right);
      if (atom.op == DimOp::div && divisor && *divisor >= 1) {
        Dim inner = add(atom.left, mul(constant(constantRest), atom.right));
        return add(whole, div(inner, mul(atom.right, constant(c))));
      }
    }
  }
  return add(whole, atomDim(DimOp::div, intern(std::move(rest)), constant(c)));
}

// Returns the polynomial q with q * b == a; tries only if b has a single term or equals a.
std::optional<Dim> DimStore::divideExactly(Dim a, Dim b) {
  const Terms& divisor = dims_[b.index].terms;
  if (divisor.size() != 1) return a == b ? std::optional(constant(1)) : std::nullopt;
  Terms out;
  for (const Term& term : dims_[a.index].terms) {
    auto factors = divide(term.factors, divisor[0].factors);
    const auto coefficient = exactQuotient(term.coefficient, divisor[0].coefficient);
    if (!factors || !coefficient) return std::nullopt;
    out.push_back({*coefficient, std::move(*factors)});
  }
  return intern(std::move(out));
}

Dim DimStore::quotientOf(Dim a, Dim b) {
  if (auto c = asConstant(b)) {
    if (*c == 0 || *c == INT64_MIN) return undefined();
    return *c > 0 ? divideByConstant(a, *c) : divideByConstant(negate(a), -*c);
  }
  if (auto exact = divideExactly(a, b)) return *exact;
  // floor((q*b + r) / b) = q + floor(r / b), term by term
  const Terms divisor = dims_[b.index].terms;
  Terms whole, rest;
  for (const Term& term : dims_[a.index].terms) {
    auto factors = divisor.size() == 1 ? divide(term.factors, divisor[0].factors) : std::nullopt;
    const auto coefficient = factors ? exactQuotient(term.coefficient, divisor[0].coefficient) : std::nullopt;
    if (coefficient)
      whole.push_back({*coefficient, std::move(*factors)});
    else
      rest.push_back(term);
  }
  Dim left = intern(std::move(rest));
  return add(intern(std::move(whole)), atomDim(DimOp::div, left, b));
}

// Returns a mod c for c >= 1. Replaces remainders inside it whose divisor does not matter: (k*(x % d)) % c is (k*x) % c
// where c divides k*d.
Dim DimStore::remainderByConstant(Dim a, std::int64_t c) {
  auto isCongruent = [&](const Term& term, const Factor& f) {
    if (!f.isAtom || f.power != 1 || atoms_[f.index].op != DimOp::mod) return false;
    const auto divisor = asConstant(atoms_[f.index].right);
    if (!divisor || *divisor < 1) return false;
    const DimValue multiple = axle::apply(DimOp::mul, term.coefficient, floorMod(*divisor, c));
    return multiple.known() && multiple.value % c == 0;
  };
  Terms rest;
  Dim unfolded = constant(0);
  for (const Term& from : termsOf(*this, a)) {
    Term term{floorMod(from.coefficient, c), from.factors};
    if (term.coefficient == 0) continue;
    const auto inner = std::ranges::find_if(term.factors, [&](const Factor& f) { return isCongruent(term, f); });
    if (inner == term.factors.end()) {
      rest.push_back(std::move(term));
      continue;
    }
    const Dim operand = atoms_[inner->index].left;
    term.factors.erase(inner);
    unfolded = add(unfolded, mul(fromTerms({std::move(term)}), operand));
  }
  const Dim left = intern(std::move(rest));
  if (isUndefined(unfolded)) return atomDim(DimOp::mod, a, constant(c));
  if (unfolded != constant(0)) return mod(add(left, unfolded), constant(c));
  return asConstant(left) ? left : atomDim(DimOp::mod, left, constant(c));
}

Dim DimStore::remainderOf(Dim a, Dim b) {
  if (auto c = asConstant(b)) {
    if (*c == 0 || *c == INT64_MIN) return undefined();
    return *c > 0 ? remainderByConstant(a, *c) : negate(mod(negate(a), constant(-*c)));
  }
  const Terms divisor = dims_[b.index].terms;
  Terms rest;
  for (const Term& term : dims_[a.index].terms) {
    bool divisible = divisor.size() == 1 && divide(term.factors, divisor[0].factors) &&
                     floorMod(term.coefficient, divisor[0].coefficient) == 0;
    if (!divisible) rest.push_back(term);
  }
  Dim left = intern(std::move(rest));
  if (left == b || left == constant(0)) return constant(0);
  return atomDim(DimOp::mod, left, b);
}

// Uses (a + b - 1) / b, which rounds up for b >= 1.
Dim DimStore::roundedUpQuotientOf(Dim a, Dim b) {
  if (auto c = asConstant(b); c && *c < 0) return negate(div(a, negate(b)));
  return div(sub(add(a, b), constant(1)), b);
}

// Collects the operands of nested maxima or minima: `max(max(a, b), c)` has three.
void DimStore::collectOperands(DimOp op, Dim d, std::vector<Dim>& into) const {
  const auto of = asAtom(d);
  if (!of || of->op != op) {
    into.push_back(d);
    return;
  }
  collectOperands(op, of->left, into);
  collectOperands(op, of->right, into);
}

// Whether `a` >= `b` for all values, because they differ by a number or are maxima or minima of such sizes.
bool DimStore::isAtLeast(Dim a, Dim b, int depth) {
  constexpr int deepest = 3;
  if (a == b) return true;
  if (const auto difference = asConstant(sub(a, b))) return *difference >= 0;
  if (depth == deepest) return false;
  // A maximum on the left or a minimum on the right needs one operand; the other cases need both.
  if (const auto of = asAtom(b); of && isExtreme(of->op)) {
    const bool left = isAtLeast(a, of->left, depth + 1), right = isAtLeast(a, of->right, depth + 1);
    if ((of->op == DimOp::min && (left || right)) || (of->op == DimOp::max && left && right)) return true;
  }
  if (const auto of = asAtom(a); of && isExtreme(of->op)) {
    const bool left = isAtLeast(of->left, b, depth + 1), right = isAtLeast(of->right, b, depth + 1);
    if ((of->op == DimOp::max && (left || right)) || (of->op == DimOp::min && left && right)) return true;
  }
  return false;
}

// Flattens nested maxima into one of all their operands and drops operands that are never the greatest: max(k, min(k,
// 2)) is k.
Dim DimStore::extremeOf(DimOp op, Dim a, Dim b) {
  const bool isMax = op == DimOp::max;
  if (auto difference = asConstant(sub(a, b))) return isMax == (*difference >= 0) ? a : b;
  const auto left = asAtom(a), right = asAtom(b);
  if (!(left && isExtreme(left->op)) && !(right && isExtreme(right->op)))
    return atomDim(op, std::min(a, b), std::max(a, b));
  std::vector<Dim> operands, kept;
  collectOperands(op, a, operands);
  collectOperands(op, b, operands);
  constexpr std::size_t mostCompared = 8;
  std::sort(operands.begin(), operands.end());
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  if (operands.size() > mostCompared) return atomDim(op, std::min(a, b), std::max(a, b));
  for (Dim each : operands) {
    auto isBeside = [&](Dim other) { return isMax ? isAtLeast(other, each, 0) : isAtLeast(each, other, 0); };
    if (std::any_of(kept.begin(), kept.end(), isBeside)) continue;
    std::erase_if(kept, [&](Dim other) { return isMax ? isAtLeast(each, other, 0) : isAtLeast(other, each, 0); });
    kept.push_back(each);
  }
  Dim extreme = kept[0];
  for (std::size_t i = 1; i < kept.size(); ++i)
    extreme = atomDim(op, std::min(extreme, kept[i]), std::max(extreme, kept[i]));
  return extreme;
}

}  // namespace axle
