#include "dims/print.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace axle {
namespace {

// Prints terms; a class because atoms print their operands in turn.
class DimPrinter {
 public:
  DimPrinter(const DimStore& store, const std::function<std::string(DimVar)>& nameOf, const VariableOrder& order)
      : store_(store), nameOf_(nameOf), order_(order) {}

  std::string sum(std::vector<Term> plain) const {
    if (plain.empty()) return "0";
    const auto merged = withinQuotient(plain);
    std::string text = printed(roundedUp(std::move(plain)));
    if (!merged) return text;
    std::string other = printed(*merged);
    return other.size() < text.size() ? other : text;
  }

 private:
  // Whether products of two such numbers can be added without an overflow.
  static bool isSmall(std::int64_t number) {
    constexpr std::int64_t most = std::int64_t{1} << 30;
    return -most < number && number < most;
  }

  // A term as it is printed. For a quotient rounded up, (x - 1) / y + 1, the dividend is x.
  struct Printed : Term {
    std::optional<std::uint32_t> up;            // the atom
    std::optional<std::vector<Term>> dividend;  // of a quotient that is the only factor, instead of its own
  };

  std::string printed(std::vector<Printed> terms) const {
    auto degree = [](const Printed& t) {
      std::uint32_t d = 0;
      for (const Factor& f : t.factors) d += f.power;
      return d;
    };
    if (order_)
      for (Printed& t : terms)
        std::stable_sort(t.factors.begin(), t.factors.end(),
                         [&](const Factor& a, const Factor& b) { return comesBefore(a, b); });
    // Positive terms first, higher degrees first, the constant last.
    std::stable_sort(terms.begin(), terms.end(), [&](const Printed& a, const Printed& b) {
      if (degree(a) != degree(b)) return degree(a) > degree(b);
      return order_ &&
             std::lexicographical_compare(a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(),
                                          [&](const Factor& x, const Factor& y) { return comesBefore(x, y); });
    });
    auto positive = std::find_if(terms.begin(), terms.end(), [](const Printed& t) { return t.coefficient > 0; });
    if (positive != terms.end()) std::rotate(terms.begin(), positive, positive + 1);
    std::string out;
    for (const Printed& t : terms) {
      bool minus = t.coefficient < 0;
      if (out.empty())
        out = minus ? "-" : "";
      else
        out += minus ? " - " : " + ";
      // `-(n / 2)`: a leading minus would be taken for the dividend's.
      const bool mayStandAlone = !(minus && &t == &terms.front());
      out += product(t, mayStandAlone);
    }
    return out;
  }

  // The terms beside a quotient by a number whose variables its dividend has too, as part of the dividend:
  // (h - r + 1) / 2 for (h + r + 1) / 2 - r. None if there are no such terms.
  std::optional<std::vector<Printed>> withinQuotient(const std::vector<Term>& terms) const {
    for (const Term& term : terms) {
      const bool isQuotient = term.coefficient > 0 && term.factors.size() == 1 && term.factors[0].isAtom &&
                              term.factors[0].power == 1 && store_.atom(term.factors[0].index).op == DimOp::div;
      const Atom atom = isQuotient ? store_.atom(term.factors[0].index) : Atom{};
      const auto divisor = isQuotient ? store_.asConstant(atom.right) : std::nullopt;
      if (!divisor || *divisor < 2 || !isSmall(*divisor) || !isSmall(term.coefficient)) continue;
      std::vector<Printed> out;
      std::vector<Term> dividend = this->terms(atom.left);
      for (const Term& other : terms) {
        const auto same = std::ranges::find(dividend, other.factors, &Term::factors);
        const bool isMerged = !(other == term) && !other.factors.empty() && same != dividend.end() &&
                              isSmall(other.coefficient) && isSmall(same->coefficient) &&
                              other.coefficient % term.coefficient == 0;
        if (isMerged)
          same->coefficient += other.coefficient / term.coefficient * *divisor;
        else
          out.push_back({other, {}, {}});
      }
      if (out.size() == terms.size()) continue;
      std::erase_if(dividend, [](const Term& t) { return t.coefficient == 0; });
      std::ranges::find(out, term.factors, &Printed::factors)->dividend = std::move(dividend);
      return out;
    }
    return std::nullopt;
  }

  // Orders variables first, then quotients, maxima and minima by their text.
  bool comesBefore(const Factor& a, const Factor& b) const {
    if (a.isAtom != b.isAtom) return b.isAtom;
    if (a.index == b.index) return a.power > b.power;
    return a.isAtom ? factor(a, true) < factor(b, true) : order_(DimVar{a.index}, DimVar{b.index});
  }

  // Orders the operands of a maximum or minimum; a constant comes last.
  bool comesBefore(Dim a, Dim b) const {
    const bool isNumber = store_.asConstant(a).has_value(), isOtherNumber = store_.asConstant(b).has_value();
    if (isNumber || isOtherNumber) return !isNumber;
    const std::span<const DimVar> ofA = store_.variables(a), ofB = store_.variables(b);
    if (!ofA.empty() && !ofB.empty()) {
      const DimVar first = *std::min_element(ofA.begin(), ofA.end(), order_);
      const DimVar other = *std::min_element(ofB.begin(), ofB.end(), order_);
      if (first != other) return order_(first, other);
    }
    return sum(terms(a)) < sum(terms(b));
  }

  std::vector<Printed> roundedUp(std::vector<Term> terms) const {
    std::vector<Printed> out;
    for (Term& t : terms) out.push_back({std::move(t), {}, {}});
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

  // Returns x if the atom is (x - 1) / y for a size y and a sum x.
  std::optional<std::vector<Term>> dividendOfUp(const Atom& atom) const {
    if (atom.op != DimOp::div || store_.asConstant(atom.right)) return std::nullopt;
    std::vector<Term> left = terms(atom.left);
    auto one = std::find_if(left.begin(), left.end(), [](const Term& t) { return t.factors.empty(); });
    if (one == left.end() || one->coefficient != -1 || left.size() < 2) return std::nullopt;
    left.erase(one);
    bool isSum = std::all_of(left.begin(), left.end(), [](const Term& t) { return t.coefficient > 0; });
    return isSum ? std::optional(std::move(left)) : std::nullopt;
  }

  // Brackets a quotient that is the whole term unless it may stand alone.
  std::string product(const Printed& term, bool mayStandAlone) const {
    std::uint64_t magnitude = term.coefficient < 0 ? 0 - static_cast<std::uint64_t>(term.coefficient)
                                                   : static_cast<std::uint64_t>(term.coefficient);
    if (term.factors.empty()) return std::to_string(magnitude);
    std::vector<std::string> factors;
    if (magnitude != 1) factors.push_back(std::to_string(magnitude));
    bool single = mayStandAlone && magnitude == 1 && term.factors.size() == 1 && term.factors[0].power == 1;
    for (const Factor& f : term.factors)
      for (std::uint32_t i = 0; i < f.power; ++i)
        factors.push_back(term.dividend                    ? quotient(*term.dividend, f.index, single)
                          : f.isAtom && term.up == f.index ? ceildiv(f.index)
                                                           : factor(f, single));
    std::string out = factors[0];
    for (std::size_t i = 1; i < factors.size(); ++i) out += "*" + factors[i];
    return out;
  }

  std::string quotient(const std::vector<Term>& dividend, std::uint32_t atom, bool single) const {
    const std::string text = "(" + sum(dividend) + ") / " + operand(store_.atom(atom).right);
    return single ? text : "(" + text + ")";
  }

  std::string call(DimOp function, std::vector<Term> left, Dim right) const {
    return std::string(spelling(function)) + "(" + sum(std::move(left)) + ", " + sum(terms(right)) + ")";
  }

  std::string ceildiv(std::uint32_t index) const {
    const Atom& atom = store_.atom(index);
    return call(DimOp::ceildiv, *dividendOfUp(atom), atom.right);
  }

  std::string factor(const Factor& f, bool single) const {
    if (!f.isAtom) return nameOf_(DimVar{f.index});
    auto known = atoms_.find(f.index);
    if (known == atoms_.end()) known = atoms_.emplace(f.index, atomText(store_.atom(f.index))).first;
    const auto& [text, isQuotient] = known->second;
    return single || !isQuotient ? text : "(" + text + ")";
  }

  // Prints all operands of nested maxima or minima in order: `max(max(a, b), c)`.
  std::string extreme(const Atom& atom) const {
    std::vector<Dim> operands;
    collectOperands(atom.op, atom.left, operands);
    collectOperands(atom.op, atom.right, operands);
    if (order_) std::stable_sort(operands.begin(), operands.end(), [&](Dim a, Dim b) { return comesBefore(a, b); });
    std::string out = sum(terms(operands[0]));
    for (std::size_t i = 1; i < operands.size(); ++i)
      out = std::string(spelling(atom.op)) + "(" + out + ", " + sum(terms(operands[i])) + ")";
    return out;
  }

  void collectOperands(DimOp op, Dim d, std::vector<Dim>& into) const {
    const auto of = store_.asAtom(d);
    if (!of || of->op != op) {
      into.push_back(d);
      return;
    }
    collectOperands(op, of->left, into);
    collectOperands(op, of->right, into);
  }

  struct AtomText {
    std::string text;
    bool isQuotient;  // bracketed unless it stands alone
  };

  AtomText atomText(const Atom& atom) const {
    if (atom.op == DimOp::max || atom.op == DimOp::min) return {extreme(atom), false};
    if (atom.op == DimOp::div)
      if (auto dividend = ceilDividend(atom)) return {call(DimOp::ceildiv, std::move(*dividend), atom.right), false};
    return {operand(atom.left) + " " + spelling(atom.op) + " " + operand(atom.right), true};
  }

  std::string operand(Dim d) const {
    std::vector<Term> t = terms(d);
    bool simple = t.empty() || (t.size() == 1 && t[0].coefficient > 0 &&
                                (t[0].factors.empty() || (t[0].coefficient == 1 && t[0].factors.size() == 1 &&
                                                          t[0].factors[0].power == 1 && !t[0].factors[0].isAtom)));
    return simple ? sum(std::move(t)) : "(" + sum(std::move(t)) + ")";
  }

  // Returns x if the atom is (x + c - 1) / c.
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
  const VariableOrder& order_;
  mutable std::map<std::uint32_t, AtomText> atoms_;  // by index: caches texts, which sorting asks for again
};

}  // namespace

std::string printDim(const DimStore& store, Dim d, const std::function<std::string(DimVar)>& nameOf,
                     const VariableOrder& order) {
  if (store.isUndefined(d)) return "(undefined)";
  return DimPrinter(store, nameOf, order).sum({store.terms(d).begin(), store.terms(d).end()});
}

}  // namespace axle
