#include "dims/decide/intervals.h"

#include <algorithm>

namespace axle::decide {
namespace {

constexpr Wide largestBound = Wide{1} << 62;

Wide clamp(Wide value) {
  if (value > largestBound) return Range::infinite;
  return value < -largestBound ? -Range::infinite : value;
}

bool isInfinite(Wide value) { return value >= Range::infinite || value <= -Range::infinite; }

// Adds two low ends or two high ends; an infinite one wins.
Wide plus(Wide a, Wide b) {
  if (isInfinite(a)) return a;
  return isInfinite(b) ? b : clamp(a + b);
}

Wide times(Wide a, Wide b) {
  if (a == 0 || b == 0) return 0;
  if (isInfinite(a) || isInfinite(b)) return (a < 0) == (b < 0) ? Range::infinite : -Range::infinite;
  return clamp(a * b);
}

Range operator*(Range a, Range b) {
  auto [low, high] =
      std::minmax({times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
  return {low, high};
}

Range operator+(Range a, Range b) { return {plus(a.low, b.low), plus(a.high, b.high)}; }

Range meet(Range a, Range b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

Range power(Range base, std::uint32_t exponent) {
  Range out{1, 1};
  for (std::uint32_t i = 0; i < exponent; ++i) out = out * base;
  if (exponent % 2 == 0) out.low = std::max<Wide>(out.low, 0);
  return out;
}

// Returns the range of floor(a / b) for b >= 1.
Range quotient(Range a, Range b) {
  b.low = std::max<Wide>(b.low, 1);
  b.high = std::max(b.high, b.low);
  auto end = [&](Wide value, bool isLow) -> Wide {
    if (isInfinite(value)) return value;
    Wide by = (value < 0) == isLow ? b.low : b.high;
    if (isInfinite(by)) return value < 0 ? -1 : 0;
    return floorDiv(value, by);
  };
  return {end(a.low, true), end(a.high, false)};
}

}  // namespace

Intervals::Intervals(DimStore& store, const System& system) : store_(store) {
  constexpr int rounds = 3;
  for (int i = 0; i < rounds; ++i) {
    for (Dim d : system.nonNegative) learn(d);
    for (Dim d : system.zero) {
      learn(d);
      learn(store_.negate(d));
    }
  }
}

std::pair<Dim, Wide> Intervals::split(Dim d) {
  for (const Term& term : store_.terms(d))
    if (term.factors.empty()) {
      std::int64_t k = term.coefficient;
      return {store_.sub(d, store_.constant(k)), k};
    }
  return {d, 0};
}

bool Intervals::narrow(const Factor& f, Range r) {
  auto [it, isNew] = factors_.try_emplace({f.isAtom, f.index}, Range{});
  it->second = meet(it->second, r);
  return isNew;
}

// Learns from c*x + rest >= 0: the highest value of the rest bounds x.
void Intervals::learn(Dim d) {
  if (store_.isUndefined(d)) return;
  auto [core, k] = split(d);
  if (store_.isUndefined(core)) return;
  auto [it, isNew] = lowest_.try_emplace(core.index, -k);
  if (!isNew) it->second = std::max(it->second, -k);
  const std::vector<Term> terms = termsOf(store_, d);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Term& term = terms[i];
    if (term.factors.size() != 1 || term.factors[0].power != 1) continue;
    Range rest{0, 0};
    for (std::size_t j = 0; j < terms.size(); ++j)
      if (j != i) rest = rest + ofTerm(terms[j]);
    if (isInfinite(rest.high)) continue;
    Range r;
    if (term.coefficient > 0)
      r.low = -floorDiv(rest.high, term.coefficient);
    else
      r.high = floorDiv(rest.high, -Wide{term.coefficient});
    narrow(term.factors[0], r);
  }
}

Range Intervals::range(Dim d) {
  if (store_.isUndefined(d)) return {};
  Range r = ofTerms(d);
  auto [core, k] = split(d);
  if (auto it = lowest_.find(core.index); it != lowest_.end()) r.low = std::max(r.low, clamp(it->second + k));
  Dim opposite = store_.negate(core);
  if (auto it = lowest_.find(opposite.index); it != lowest_.end()) r.high = std::min(r.high, clamp(k - it->second));
  return r;
}

Range Intervals::ofTerms(Dim d) {
  Range sum{0, 0};
  const std::vector<Term> terms = termsOf(store_, d);
  for (const Term& term : terms) sum = sum + ofTerm(term);
  return sum;
}

Range Intervals::ofTerm(const Term& term) {
  Range product{term.coefficient, term.coefficient};
  for (const Factor& f : term.factors) product = product * power(range(f), f.power);
  return product;
}

Range Intervals::range(const Factor& f) {
  Range r;
  if (auto it = factors_.find({f.isAtom, f.index}); it != factors_.end()) r = it->second;
  constexpr int deepest = 24;  // an interval of deeper atoms is not worth its cost
  if (!f.isAtom || depth_ >= deepest) return r;
  ++depth_;
  r = meet(r, ofAtom(store_.atom(f.index)));
  --depth_;
  return r;
}

Range Intervals::ofAtom(const Atom& given) {
  Atom atom = given;
  Range left = range(atom.left), right = range(atom.right);
  if (atom.op == DimOp::div) return quotient(left, right);
  if (atom.op == DimOp::mod) return {0, isInfinite(right.high) ? right.high : right.high - 1};
  return {apply(atom.op, left.low, right.low).value, apply(atom.op, left.high, right.high).value};
}

}  // namespace axle::decide
