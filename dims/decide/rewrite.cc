#include "dims/decide/rewrite.h"

#include <algorithm>
#include <numeric>

namespace axle::decide {
namespace {

Dim fromTerm(DimStore& store, Term term) { return store.fromTerms({std::move(term)}); }

Dim fromTerms(DimStore& store, std::vector<Term> terms) { return store.fromTerms(std::move(terms)); }

bool sameBase(const Factor& a, const Factor& b) { return a.isAtom == b.isAtom && a.index == b.index; }

// Returns the term q with q * by == term.
std::optional<Term> quotient(const Term& term, const Term& by) {
  const auto coefficient = by.coefficient != 0 ? exactQuotient(term.coefficient, by.coefficient) : std::nullopt;
  if (!coefficient) return std::nullopt;
  Term out{*coefficient, term.factors};
  for (const Factor& f : by.factors) {
    auto it = std::find_if(out.factors.begin(), out.factors.end(), [&](const Factor& g) { return sameBase(f, g); });
    if (it == out.factors.end() || it->power < f.power) return std::nullopt;
    it->power -= f.power;
    if (it->power == 0) out.factors.erase(it);
  }
  return out;
}

// Returns the greatest term that divides every term: the common factors and the greatest common coefficient.
Term commonTerm(const std::vector<Term>& terms) {
  Term common;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    common.coefficient = std::gcd(common.coefficient, terms[i].coefficient);
    if (i == 0) {
      common.factors = terms[i].factors;
      continue;
    }
    std::vector<Factor> kept;
    for (const Factor& f : common.factors)
      for (const Factor& g : terms[i].factors)
        if (sameBase(f, g)) kept.push_back({f.isAtom, f.index, std::min(f.power, g.power)});
    common.factors = std::move(kept);
  }
  return common;
}

// Splits `terms` into by * first + second, where second holds the terms that `by` does not divide.
std::pair<std::vector<Term>, std::vector<Term>> divided(const std::vector<Term>& terms, const Term& by) {
  std::vector<Term> whole, rest;
  for (const Term& term : terms)
    if (auto q = quotient(term, by))
      whole.push_back(std::move(*q));
    else
      rest.push_back(term);
  return {std::move(whole), std::move(rest)};
}

// Returns the k with k*g <= r < (k + 1)*g if the known ranges determine it.
std::optional<std::int64_t> fixedQuotient(Rewriter& w, Dim r, Dim g) {
  Range range = w.known.range(r);
  if (auto c = w.store.asConstant(g)) {
    if (*c < 1 || !range.bounded()) return std::nullopt;
    Wide low = floorDiv(range.low, *c);
    if (low != floorDiv(range.high, *c)) return std::nullopt;
    return static_cast<std::int64_t>(low);
  }
  Dim one = w.store.constant(1);
  if (range.low >= 0 && w.known.nonNegative(w.store.sub(w.store.sub(g, r), one))) return 0;
  if (range.high <= -1 && w.known.nonNegative(w.store.add(g, r))) return -1;
  return std::nullopt;
}

// ---- the rules --------------------------------------------------------------------------------------------------

std::optional<Dim> divCancel(Rewriter& w, Dim a, Dim b) {
  std::vector<Term> top = termsOf(w.store, a), bottom = termsOf(w.store, b), all = top;
  all.insert(all.end(), bottom.begin(), bottom.end());
  Term common = commonTerm(all);
  if (top.empty() || (common.factors.empty() && common.coefficient == 1)) return std::nullopt;
  if (!w.known.nonNegative(fromTerm(w.store, common))) return std::nullopt;  // >= 1 then, because the divisor is
  return w.div(fromTerms(w.store, divided(top, common).first), fromTerms(w.store, divided(bottom, common).first));
}

std::optional<Dim> divNested(Rewriter& w, Dim a, Dim b) {
  for (const Term& term : termsOf(w.store, a)) {
    if (term.coefficient != 1 || term.factors.size() != 1 || !term.factors[0].isAtom || term.factors[0].power != 1)
      continue;
    Atom inner = w.store.atom(term.factors[0].index);
    if (inner.op != DimOp::div) continue;
    Dim rest = w.store.sub(a, fromTerm(w.store, term));
    return w.div(w.store.add(inner.left, w.store.mul(inner.right, rest)), w.store.mul(inner.right, b));
  }
  return std::nullopt;
}

std::optional<Dim> divFixed(Rewriter& w, Dim a, Dim b) {
  if (auto k = fixedQuotient(w, a, b)) return w.store.constant(*k);
  return std::nullopt;
}

std::optional<Dim> divRemainder(Rewriter& w, Dim a, Dim b) {
  std::vector<Term> top = termsOf(w.store, a), bottom = termsOf(w.store, b);
  if (bottom.size() != 1 || top.size() < 2) return std::nullopt;
  std::vector<Term> candidates;
  for (const Term& term : top) {
    if (term.factors.empty()) continue;
    Term g = commonTerm({term, bottom[0]});
    bool isUnit = g.factors.empty() && g.coefficient == 1;
    if (!isUnit && std::find(candidates.begin(), candidates.end(), g) == candidates.end()) candidates.push_back(g);
  }
  for (const Term& g : candidates) {
    auto [whole, rest] = divided(top, g);
    auto k = fixedQuotient(w, fromTerms(w.store, rest), fromTerm(w.store, g));
    if (!k || whole.empty() || !w.known.positive(fromTerm(w.store, g))) continue;
    Dim left = w.store.add(fromTerms(w.store, whole), w.store.constant(*k));
    return w.div(left, fromTerm(w.store, *quotient(bottom[0], g)));
  }
  return std::nullopt;
}

std::optional<Dim> divPolynomial(Rewriter& w, Dim a, Dim b) {
  std::vector<Term> bottom = termsOf(w.store, b);
  constexpr std::size_t mostTerms = 4;
  if (bottom.size() < 2 || bottom.size() > mostTerms) return std::nullopt;
  std::size_t before = w.store.terms(a).size();
  for (const Term& lead : bottom) {
    if (lead.factors.empty()) continue;
    Dim rest = a, whole = w.store.constant(0);
    for (int steps = 0; steps < 8; ++steps) {
      std::optional<Term> q;
      for (const Term& term : termsOf(w.store, rest)) {
        q = quotient(term, lead);
        if (q) break;
      }
      if (!q) break;
      whole = w.store.add(whole, fromTerm(w.store, *q));
      rest = w.store.sub(rest, w.store.mul(fromTerm(w.store, *q), b));
    }
    if (whole == w.store.constant(0) || w.store.isUndefined(rest)) continue;
    if (rest == w.store.constant(0)) return whole;
    if (auto k = fixedQuotient(w, rest, b)) return w.store.add(whole, w.store.constant(*k));
    if (w.store.terms(rest).size() < before) return w.store.add(whole, w.div(rest, b));
  }
  return std::nullopt;
}

// Maxima arrive here as max(d, 0).
std::optional<Dim> maxKnown(Rewriter& w, Dim d, Dim) {
  Range range = w.known.range(d);
  if (range.low >= 0) return d;
  if (range.high <= 0) return w.store.constant(0);
  return std::nullopt;
}

std::optional<Dim> maxScale(Rewriter& w, Dim d, Dim) {
  Term common = commonTerm(termsOf(w.store, d));
  if (common.coefficient <= 1) return std::nullopt;
  Dim g = w.store.constant(common.coefficient);
  return w.store.mul(g, w.max(w.store.div(d, g), w.store.constant(0)));
}

std::optional<Dim> maxSign(Rewriter& w, Dim d, Dim) {
  for (const Term& term : w.store.terms(d)) {
    if (term.factors.empty()) continue;
    if (term.coefficient > 0) return std::nullopt;
    break;
  }
  return w.store.add(w.max(w.store.negate(d), w.store.constant(0)), d);
}

// clang-format off
constexpr Rule table[] = {
  // name          atom         equation                                     side condition
  {"div-fixed",    DimOp::div, "a / b = k                                   where k*b <= a < (k + 1)*b", divFixed},
  {"div-cancel",   DimOp::div, "(g*a) / (g*b) = a / b                       where g >= 1", divCancel},
  {"div-nested",   DimOp::div, "(x / a + p) / b = (x + a*p) / (a*b)         where a >= 1, b >= 1", divNested},
  {"div-remainder", DimOp::div, "(g*a + r) / (g*b) = (a + k) / b             where k*g <= r < (k + 1)*g, g >= 1", divRemainder},
  {"div-polynomial", DimOp::div, "(q*b + r) / b = q + r / b                   where b >= 1", divPolynomial},
  {"max-known",    DimOp::max, "max(d, 0) = d or 0                          where d >= 0 or d <= 0", maxKnown},
  {"max-scale",    DimOp::max, "max(g*d, 0) = g*max(d, 0)                   where g >= 1", maxScale},
  {"max-sign",     DimOp::max, "max(-d, 0) = max(d, 0) - d", maxSign},
};
// clang-format on

}  // namespace

std::span<const Rule> rules() { return table; }

std::optional<Dim> Rewriter::byRule(DimOp op, Dim left, Dim right) {
  constexpr int deepest = 200;
  if (depth_ >= deepest || !budget_.spend(4)) return std::nullopt;
  ++depth_;
  std::optional<Dim> found;
  for (const Rule& rule : table) {
    if (rule.op != op) continue;
    found = rule.apply(*this, left, right);
    if (!found) continue;
    used.insert(rule.name);
    break;
  }
  --depth_;
  return found;
}

// Applies the rules to the quotients that are terms of `d`.
Dim Rewriter::settle(Dim d) {
  for (bool moved = true; moved && !store.isUndefined(d);) {
    moved = false;
    for (const Term& term : termsOf(store, d)) {
      if (term.factors.size() != 1 || !term.factors[0].isAtom || term.factors[0].power != 1) continue;
      std::uint32_t index = term.factors[0].index;
      Atom atom = store.atom(index);
      if (atom.op != DimOp::div || settled_.count(index)) continue;
      if (auto other = byRule(DimOp::div, atom.left, atom.right)) {
        Dim rest = store.sub(d, fromTerm(store, term));
        d = store.add(rest, store.mul(store.constant(term.coefficient), *other));
        moved = true;
        break;
      }
      settled_.insert(index);
    }
  }
  return d;
}

Dim Rewriter::div(Dim a, Dim b) { return settle(store.div(a, b)); }

Dim Rewriter::max(Dim a, Dim b) {
  Dim difference = store.sub(a, b);
  if (store.isUndefined(difference)) return difference;
  Dim zero = store.constant(0);
  auto found = byRule(DimOp::max, difference, zero);
  return store.add(b, found ? *found : store.max(difference, zero));
}

Dim Rewriter::atom(const Atom& atom) {
  Dim left = normal(atom.left), right = normal(atom.right);
  if (atom.op == DimOp::div) return div(left, right);
  if (atom.op == DimOp::mod) return store.sub(left, store.mul(right, div(left, right)));
  const Dim greater = max(left, right);
  return atom.op == DimOp::max ? greater : store.sub(store.add(left, right), greater);
}

Dim Rewriter::normal(Dim d) {
  if (store.isUndefined(d)) return d;
  if (auto it = normal_.find(d.index); it != normal_.end()) return it->second;
  budget_.spend(1);
  const Dim rebuilt = store.rebuild(termsOf(store, d), [&](const Factor& f) {
    return f.isAtom ? atom(Atom(store.atom(f.index))) : store.variable(DimVar{f.index});
  });
  const Dim settled = settle(rebuilt);
  normal_.emplace(d.index, settled);
  return settled;
}

}  // namespace axle::decide
