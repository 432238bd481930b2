#include "dims/dim.h"

#include <algorithm>
#include <numeric>

namespace axle {
namespace {

// Products and sums beyond this many terms, and powers beyond this one, count as overflow: no model's size needs them,
// hostile input could ask for them.
constexpr std::size_t maxTerms = 4096;
constexpr std::uint32_t maxPower = 4096;

std::int64_t floorDiv(std::int64_t a, std::int64_t b) {
  std::int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

template <class T>
void appendBytes(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Product of two factor lists: powers of equal factors add.
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

// a / b, where b's factors all occur in a.
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

}  // namespace

DimStore::DimStore() { dims_.push_back({}); }

DimVar DimStore::newVariable(std::string name) {
  names_.push_back(std::move(name));
  return DimVar{static_cast<std::uint32_t>(names_.size() - 1)};
}

void DimStore::count(std::size_t terms) {
  work_ += 1 + terms;
  if (work_ > workLimit_) throw DimsTooLarge();
}

Dim DimStore::intern(Terms terms) {
  count(terms.size());
  if (terms.empty()) return internMerged({});
  if (terms.size() == 1) return internMerged(terms[0].coefficient == 0 ? Terms() : std::move(terms));
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.factors < b.factors; });
  Terms merged;
  for (Term& term : terms) {
    if (!merged.empty() && merged.back().factors == term.factors) {
      if (__builtin_add_overflow(merged.back().coefficient, term.coefficient, &merged.back().coefficient))
        return undefined();
    } else {
      if (!merged.empty() && merged.back().coefficient == 0) merged.pop_back();
      merged.push_back(std::move(term));
    }
  }
  if (!merged.empty() && merged.back().coefficient == 0) merged.pop_back();
  if (merged.size() > maxTerms) return undefined();
  return internMerged(std::move(merged));
}

Dim DimStore::internMerged(Terms merged) {
  std::string key;
  for (const Term& term : merged) {
    appendBytes(key, term.coefficient);
    appendBytes(key, static_cast<std::uint32_t>(term.factors.size()));
    for (const Factor& f : term.factors) {
      appendBytes(key, f.isAtom);
      appendBytes(key, f.index);
      appendBytes(key, f.power);
    }
  }
  auto [it, isNew] = internedDims_.try_emplace(std::move(key), static_cast<std::uint32_t>(dims_.size()));
  if (isNew) {
    std::vector<DimVar> variables;
    for (const Term& term : merged)
      for (const Factor& f : term.factors) {
        if (!f.isAtom) {
          variables.push_back(DimVar{f.index});
          continue;
        }
        for (Dim side : {atoms_[f.index].left, atoms_[f.index].right})
          for (DimVar v : dims_[side.index].variables) variables.push_back(v);
      }
    std::sort(variables.begin(), variables.end());
    variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
    dims_.push_back({std::move(merged), std::move(variables)});
  }
  return Dim{it->second};
}

Dim DimStore::constant(std::int64_t value) {
  count(1);
  bool isKept = value >= leastKept && value < mostKept;
  if (isKept && keptConstants_.empty()) keptConstants_.resize(static_cast<std::size_t>(mostKept - leastKept));
  std::uint32_t* kept = isKept ? &keptConstants_[static_cast<std::size_t>(value - leastKept)] : nullptr;
  if (kept && *kept) return Dim{*kept};
  Dim made = value == 0 ? internMerged({}) : internMerged({{value, {}}});
  if (kept) *kept = made.index;
  return made;
}

Dim DimStore::variable(DimVar v) {
  count(1);
  if (v.index >= keptVariables_.size()) keptVariables_.resize(names_.size());
  std::uint32_t& kept = keptVariables_[v.index];
  if (!kept) kept = internMerged({{1, {{false, v.index, 1}}}}).index;
  return Dim{kept};
}

Dim DimStore::add(Dim a, Dim b) {
  if (isUndefined(a) || isUndefined(b)) return undefined();
  if (dims_[a.index].terms.empty()) return b;
  if (dims_[b.index].terms.empty()) return a;
  Terms terms = dims_[a.index].terms;
  const Terms& more = dims_[b.index].terms;
  terms.insert(terms.end(), more.begin(), more.end());
  return intern(std::move(terms));
}

Dim DimStore::sub(Dim a, Dim b) {
  if (isUndefined(a) || isUndefined(b)) return undefined();
  if (dims_[b.index].terms.empty()) return a;
  if (a == b) return constant(0);
  Terms terms = dims_[a.index].terms;
  terms.reserve(terms.size() + dims_[b.index].terms.size());
  for (const Term& term : dims_[b.index].terms) {
    if (term.coefficient == INT64_MIN) return undefined();
    terms.push_back({-term.coefficient, term.factors});
  }
  return intern(std::move(terms));
}

Dim DimStore::mul(Dim a, Dim b) {
  if (isUndefined(a) || isUndefined(b)) return undefined();
  const Terms& left = dims_[a.index].terms;
  const Terms& right = dims_[b.index].terms;
  if (left.size() * right.size() > maxTerms) return undefined();
  auto isOne = [](const Terms& t) { return t.size() == 1 && t[0].coefficient == 1 && t[0].factors.empty(); };
  if (isOne(left)) return b;
  if (isOne(right)) return a;
  Terms terms;
  terms.reserve(left.size() * right.size());
  for (const Term& x : left)
    for (const Term& y : right) {
      std::int64_t coefficient;
      if (__builtin_mul_overflow(x.coefficient, y.coefficient, &coefficient)) return undefined();
      terms.push_back({coefficient, multiply(x.factors, y.factors)});
      for (const Factor& f : terms.back().factors)
        if (f.power > maxPower) return undefined();
    }
  return intern(std::move(terms));
}

Dim DimStore::atomDim(AtomOp op, Dim left, Dim right) {
  std::string key;
  appendBytes(key, op);
  appendBytes(key, left.index);
  appendBytes(key, right.index);
  auto [it, isNew] = internedAtoms_.try_emplace(std::move(key), static_cast<std::uint32_t>(atoms_.size()));
  if (isNew) atoms_.push_back({op, left, right});
  return intern({{1, {{true, it->second, 1}}}});
}

// floor(a / c) for c >= 1. Multiples of c leave the quotient, so that what stays inside has coefficients in [0, c).
Dim DimStore::divideByConstant(Dim a, std::int64_t c) {
  if (c == 1) return a;
  Terms quotient, rest;
  std::int64_t constantRest = 0, common = c;
  for (const Term& term : dims_[a.index].terms) {
    std::int64_t q = floorDiv(term.coefficient, c), r = term.coefficient - q * c;
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
      if (atom.op == AtomOp::div && divisor && *divisor >= 1) {
        Dim inner = add(atom.left, mul(constant(constantRest), atom.right));
        return add(whole, div(inner, mul(atom.right, constant(c))));
      }
    }
  }
  return add(whole, atomDim(AtomOp::div, intern(std::move(rest)), constant(c)));
}

// The polynomial q with q * b == a, for a single-term b or one that is a constant multiple.
std::optional<Dim> DimStore::divideExactly(Dim a, Dim b) {
  const Terms& divisor = dims_[b.index].terms;
  if (divisor.size() != 1) return a == b ? std::optional(constant(1)) : std::nullopt;
  Terms out;
  for (const Term& term : dims_[a.index].terms) {
    auto factors = divide(term.factors, divisor[0].factors);
    if (!factors || term.coefficient % divisor[0].coefficient != 0) return std::nullopt;
    out.push_back({term.coefficient / divisor[0].coefficient, std::move(*factors)});
  }
  return intern(std::move(out));
}

Dim DimStore::div(Dim a, Dim b) {
  if (isUndefined(a) || isUndefined(b)) return undefined();
  if (auto c = asConstant(b)) {
    if (*c == 0 || *c == INT64_MIN) return undefined();
    return *c > 0 ? divideByConstant(a, *c) : divideByConstant(mul(constant(-1), a), -*c);
  }
  if (auto exact = divideExactly(a, b)) return *exact;
  // floor((q*b + r) / b) = q + floor(r / b), term by term
  const Terms divisor = dims_[b.index].terms;
  Terms whole, rest;
  for (const Term& term : dims_[a.index].terms) {
    auto factors = divisor.size() == 1 ? divide(term.factors, divisor[0].factors) : std::nullopt;
    if (factors && term.coefficient % divisor[0].coefficient == 0)
      whole.push_back({term.coefficient / divisor[0].coefficient, std::move(*factors)});
    else
      rest.push_back(term);
  }
  Dim left = intern(std::move(rest));
  return add(intern(std::move(whole)), atomDim(AtomOp::div, left, b));
}

Dim DimStore::mod(Dim a, Dim b) {
  if (isUndefined(a) || isUndefined(b)) return undefined();
  if (auto c = asConstant(b)) {
    if (*c == 0 || *c == INT64_MIN) return undefined();
    if (*c < 0) return mul(constant(-1), mod(mul(constant(-1), a), constant(-*c)));
    Terms rest;
    for (const Term& term : dims_[a.index].terms) {
      std::int64_t r = term.coefficient - floorDiv(term.coefficient, *c) * *c;
      if (r != 0) rest.push_back({r, term.factors});
    }
    Dim left = intern(std::move(rest));
    if (asConstant(left)) return left;
    return atomDim(AtomOp::mod, left, b);
  }
  const Terms divisor = dims_[b.index].terms;
  Terms rest;
  for (const Term& term : dims_[a.index].terms) {
    bool divisible = divisor.size() == 1 && divide(term.factors, divisor[0].factors) &&
                     term.coefficient % divisor[0].coefficient == 0;
    if (!divisible) rest.push_back(term);
  }
  Dim left = intern(std::move(rest));
  if (left == b || left == constant(0)) return constant(0);
  return atomDim(AtomOp::mod, left, b);
}

Dim DimStore::ceildiv(Dim a, Dim b) { return div(sub(add(a, b), constant(1)), b); }

Dim DimStore::max(Dim a, Dim b) {
  if (isUndefined(a) || isUndefined(b)) return undefined();
  if (auto difference = asConstant(sub(a, b))) return *difference >= 0 ? a : b;
  return atomDim(AtomOp::max, std::min(a, b), std::max(a, b));
}

Dim DimStore::min(Dim a, Dim b) {
  if (isUndefined(a) || isUndefined(b)) return undefined();
  if (auto difference = asConstant(sub(a, b))) return *difference <= 0 ? a : b;
  return atomDim(AtomOp::min, std::min(a, b), std::max(a, b));
}

std::optional<std::int64_t> DimStore::asConstant(Dim d) const {
  if (isUndefined(d)) return std::nullopt;
  const Terms& terms = dims_[d.index].terms;
  if (terms.empty()) return 0;
  if (terms.size() == 1 && terms[0].factors.empty()) return terms[0].coefficient;
  return std::nullopt;
}

std::optional<DimVar> DimStore::asVariable(Dim d) const {
  const Terms& terms = dims_[d.index].terms;
  if (terms.size() != 1 || terms[0].coefficient != 1 || terms[0].factors.size() != 1) return std::nullopt;
  const Factor& f = terms[0].factors[0];
  if (f.isAtom || f.power != 1) return std::nullopt;
  return DimVar{f.index};
}

Dim DimStore::substitute(Dim d, const std::function<std::optional<Dim>(DimVar)>& replacement) {
  if (isUndefined(d)) return d;
  bool any = false;
  for (DimVar v : std::vector<DimVar>(dims_[d.index].variables))
    if (replacement(v)) any = true;
  if (!any) return d;
  Dim sum = constant(0);
  const Terms terms = dims_[d.index].terms;
  for (const Term& term : terms) {
    Dim product = constant(term.coefficient);
    for (const Factor& f : term.factors) {
      Dim base;
      if (f.isAtom) {
        Atom atom = atoms_[f.index];
        Dim left = substitute(atom.left, replacement), right = substitute(atom.right, replacement);
        switch (atom.op) {
          case AtomOp::div:
            base = div(left, right);
            break;
          case AtomOp::mod:
            base = mod(left, right);
            break;
          case AtomOp::max:
            base = max(left, right);
            break;
          case AtomOp::min:
            base = min(left, right);
            break;
        }
      } else {
        auto found = replacement(DimVar{f.index});
        base = found ? *found : variable(DimVar{f.index});
      }
      for (std::uint32_t i = 0; i < f.power; ++i) product = mul(product, base);
    }
    sum = add(sum, product);
  }
  return sum;
}

namespace {

// Prints terms; a class because atoms print their operands in turn.
class Printer {
 public:
  Printer(const DimStore& store, const std::function<std::string(DimVar)>& nameOf) : store_(store), nameOf_(nameOf) {}

  std::string sum(std::vector<Term> plain) const {
    if (plain.empty()) return "0";
    auto degree = [](const Printed& t) {
      std::uint32_t d = 0;
      for (const Factor& f : t.factors) d += f.power;
      return d;
    };
    std::vector<Printed> terms = roundedUp(std::move(plain));
    // Positive terms first, higher degrees first, the constant last.
    std::stable_sort(terms.begin(), terms.end(),
                     [&](const Printed& a, const Printed& b) { return degree(a) > degree(b); });
    auto positive = std::find_if(terms.begin(), terms.end(), [](const Printed& t) { return t.coefficient > 0; });
    if (positive != terms.end()) std::rotate(terms.begin(), positive, positive + 1);
    std::string out;
    for (const Printed& t : terms) {
      bool minus = t.coefficient < 0;
      if (out.empty())
        out = minus ? "-" : "";
      else
        out += minus ? " - " : " + ";
      out += product(t);
    }
    return out;
  }

 private:
  // A term as it is written: of a quotient by a size rounded up, (x - 1) / y + 1, the dividend is x.
  struct Printed : Term {
    std::optional<std::uint32_t> up;  // the atom
  };

  std::vector<Printed> roundedUp(std::vector<Term> terms) const {
    std::vector<Printed> out;
    for (Term& t : terms) out.push_back({std::move(t), {}});
    for (std::size_t i = 0; i < out.size(); ++i)
      for (const Factor& f : out[i].factors) {
        if (!f.isAtom || f.power != 1 || !dividendOfUp(store_.atom(f.index))) continue;
        std::vector<Factor> rest = out[i].factors;
        std::erase(rest, f);
        auto one = std::find_if(out.begin(), out.end(), [&](const Printed& t) {
          return !t.up && t.factors == rest && t.coefficient == out[i].coefficient;
        });
        if (one == out.end()) continue;
        out[i].up = f.index;
        if (one < out.begin() + static_cast<std::ptrdiff_t>(i)) --i;
        out.erase(one);
        break;
      }
    return out;
  }

  // x where the atom is (x - 1) / y for a size y and a sum x.
  std::optional<std::vector<Term>> dividendOfUp(const Atom& atom) const {
    if (atom.op != AtomOp::div || store_.asConstant(atom.right)) return std::nullopt;
    std::vector<Term> left = terms(atom.left);
    auto one = std::find_if(left.begin(), left.end(), [](const Term& t) { return t.factors.empty(); });
    if (one == left.end() || one->coefficient != -1 || left.size() < 2) return std::nullopt;
    left.erase(one);
    bool isSum = std::all_of(left.begin(), left.end(), [](const Term& t) { return t.coefficient > 0; });
    return isSum ? std::optional(std::move(left)) : std::nullopt;
  }

  std::string product(const Printed& term) const {
    std::uint64_t magnitude = term.coefficient < 0 ? 0 - static_cast<std::uint64_t>(term.coefficient)
                                                   : static_cast<std::uint64_t>(term.coefficient);
    if (term.factors.empty()) return std::to_string(magnitude);
    std::vector<std::string> factors;
    if (magnitude != 1) factors.push_back(std::to_string(magnitude));
    bool single = magnitude == 1 && term.factors.size() == 1 && term.factors[0].power == 1;
    for (const Factor& f : term.factors)
      for (std::uint32_t i = 0; i < f.power; ++i)
        factors.push_back(f.isAtom && term.up == f.index ? ceildiv(f.index) : factor(f, single));
    std::string out = factors[0];
    for (std::size_t i = 1; i < factors.size(); ++i) out += "*" + factors[i];
    return out;
  }

  std::string ceildiv(std::uint32_t index) const {
    const Atom& atom = store_.atom(index);
    return "ceildiv(" + sum(*dividendOfUp(atom)) + ", " + sum(terms(atom.right)) + ")";
  }

  std::string factor(const Factor& f, bool single) const {
    if (!f.isAtom) return nameOf_(DimVar{f.index});
    const Atom& atom = store_.atom(f.index);
    if (atom.op == AtomOp::max || atom.op == AtomOp::min)
      return (atom.op == AtomOp::max ? "max(" : "min(") + sum(terms(atom.left)) + ", " + sum(terms(atom.right)) + ")";
    if (atom.op == AtomOp::div)
      if (auto dividend = ceilDividend(atom))
        return "ceildiv(" + sum(std::move(*dividend)) + ", " + sum(terms(atom.right)) + ")";
    std::string text = operand(atom.left) + (atom.op == AtomOp::div ? " / " : " % ") + operand(atom.right);
    return single ? text : "(" + text + ")";
  }

  std::string operand(Dim d) const {
    std::vector<Term> t = terms(d);
    bool simple = t.empty() || (t.size() == 1 && t[0].coefficient > 0 &&
                                (t[0].factors.empty() || (t[0].coefficient == 1 && t[0].factors.size() == 1 &&
                                                          t[0].factors[0].power == 1 && !t[0].factors[0].isAtom)));
    return simple ? sum(std::move(t)) : "(" + sum(std::move(t)) + ")";
  }

  // x where the atom is (x + c - 1) / c.
  std::optional<std::vector<Term>> ceilDividend(const Atom& atom) const {
    std::vector<Term> left = terms(atom.left), out;
    if (auto c = store_.asConstant(atom.right)) {
      for (const Term& t : left)
        if (!t.factors.empty())
          out.push_back(t);
        else if (t.coefficient != *c - 1)
          return std::nullopt;
      if (*c < 2 || out.size() + 1 != left.size()) return std::nullopt;
      return out;
    }
    std::vector<Term> right = terms(atom.right);
    bool minusOne = false;
    std::size_t matched = 0;
    for (const Term& t : left) {
      if (t.factors.empty() && t.coefficient == -1)
        minusOne = true;
      else if (std::find(right.begin(), right.end(), t) != right.end())
        ++matched;
      else
        out.push_back(t);
    }
    if (!minusOne || matched != right.size() || out.empty()) return std::nullopt;
    return out;
  }

  std::vector<Term> terms(Dim d) const {
    auto t = store_.terms(d);
    return {t.begin(), t.end()};
  }

  const DimStore& store_;
  const std::function<std::string(DimVar)>& nameOf_;
};

}  // namespace

std::string DimStore::print(Dim d, const std::function<std::string(DimVar)>& nameOf) const {
  if (isUndefined(d)) return "(undefined)";
  return Printer(*this, nameOf).sum({dims_[d.index].terms.begin(), dims_[d.index].terms.end()});
}

std::string DimStore::print(Dim d) const {
  return print(d, [this](DimVar v) { return name(v); });
}

}  // namespace axle
