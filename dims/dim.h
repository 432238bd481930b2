// Dimensions in one canonical form: integer polynomials over variables and interned atoms (`/`, `%`, max, min).
// Equality of two `Dim`s of one store is equality of their normal forms (docs/solver.md, tier 1).
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dims/arithmetic.h"
#include "dims/intern_index.h"

namespace axle {

struct DimVar {
  std::uint32_t index = 0;
  friend auto operator<=>(DimVar, DimVar) = default;
};

struct Dim {
  std::uint32_t index = 0;
  friend auto operator<=>(Dim, Dim) = default;
};

// `left op right`, where `op` is div, mod, max or min: what a polynomial cannot express.
struct Atom {
  DimOp op;
  Dim left, right;
  friend bool operator==(const Atom&, const Atom&) = default;
};

// A variable or an atom, to a power.
struct Factor {
  bool isAtom = false;
  std::uint32_t index = 0;  // DimVar::index, or an index for DimStore::atom
  std::uint32_t power = 1;
  friend auto operator<=>(const Factor&, const Factor&) = default;
};

struct Term {
  std::int64_t coefficient = 0;
  std::vector<Factor> factors;  // sorted; empty for the constant term
  friend auto operator<=>(const Term&, const Term&) = default;
};

// Thrown past a store's limit of work.
struct DimsTooLarge : std::exception {
  const char* what() const noexcept override { return "the arithmetic of sizes exceeds its limit of work"; }
};

// Thrown in the middle of work that someone asked to stop.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Owns dimensions and their variables. Append-only: ids stay valid, but for those that `rollback` drops.
// Arithmetic that overflows 64 bits, and a division by the constant 0, give `undefined()`, which any further arithmetic
// keeps. So that every size has a negative one, INT64_MIN is a constant by itself but no coefficient beside others.
class DimStore {
 public:
  DimStore();

  // Arithmetic is counted by the terms that it makes; past `limit` in all, it throws DimsTooLarge.
  void limitWork(std::uint64_t limit) { workLimit_ = limit; }
  std::uint64_t work() const { return work_; }

  // Arithmetic throws Interrupted once `flag` is set, which any thread or a signal handler may do. Null: never.
  void interruptWith(const std::atomic<bool>* flag) { interrupt_ = flag; }
  const std::atomic<bool>* interrupt() const { return interrupt_; }
  void checkInterrupt() const {
    if (interrupt_ && interrupt_->load(std::memory_order_relaxed)) throw Interrupted();
  }

  // Drops the dimensions and variables made since the mark. The work that they took stays counted.
  struct Mark {
    std::size_t dims, atoms, names;
  };
  Mark mark() const { return {dims_.size(), atoms_.size(), names_.size()}; }
  void rollback(const Mark& to) noexcept;

  DimVar newVariable(std::string name);
  const std::string& name(DimVar v) const { return names_[v.index]; }
  std::size_t variableCount() const { return names_.size(); }

  Dim constant(std::int64_t value);
  // The sum of terms whose factors are sorted and are variables and atoms of this store.
  Dim fromTerms(std::vector<Term> terms) { return intern(std::move(terms)); }
  Dim variable(DimVar v);
  Dim undefined() const { return Dim{0}; }
  // `a op b` for an operator.
  Dim apply(DimOp op, Dim a, Dim b);
  Dim add(Dim a, Dim b) { return apply(DimOp::add, a, b); }
  Dim sub(Dim a, Dim b) { return apply(DimOp::sub, a, b); }
  Dim mul(Dim a, Dim b) { return apply(DimOp::mul, a, b); }
  Dim div(Dim a, Dim b) { return apply(DimOp::div, a, b); }
  Dim mod(Dim a, Dim b) { return apply(DimOp::mod, a, b); }
  Dim ceildiv(Dim a, Dim b) { return apply(DimOp::ceildiv, a, b); }
  Dim max(Dim a, Dim b) { return apply(DimOp::max, a, b); }
  Dim min(Dim a, Dim b) { return apply(DimOp::min, a, b); }
  Dim negate(Dim d) { return apply(DimOp::sub, constant(0), d); }

  bool isUndefined(Dim d) const { return d.index == 0; }
  std::optional<std::int64_t> asConstant(Dim d) const {
    const Node& node = dims_[d.index];
    return node.form == Form::constant ? std::optional(node.value) : std::nullopt;
  }
  // The variable that `d` is, if it is one and nothing else.
  std::optional<DimVar> asVariable(Dim d) const {
    const Node& node = dims_[d.index];
    if (node.form != Form::variable) return std::nullopt;
    return DimVar{static_cast<std::uint32_t>(node.value)};
  }
  // The quotient, remainder, maximum or minimum that `d` is, if it is one and nothing else.
  std::optional<Atom> asAtom(Dim d) const {
    const Terms& terms = dims_[d.index].terms;
    const bool isOne = terms.size() == 1 && terms[0].coefficient == 1 && terms[0].factors.size() == 1 &&
                       terms[0].factors[0].isAtom && terms[0].factors[0].power == 1;
    return isOne ? std::optional(atoms_[terms[0].factors[0].index]) : std::nullopt;
  }
  std::span<const Term> terms(Dim d) const { return dims_[d.index].terms; }
  const Atom& atom(std::uint32_t index) const { return atoms_[index]; }
  // All variables, those inside of atoms too, sorted, each once.
  std::span<const DimVar> variables(Dim d) const { return dims_[d.index].variables; }

  // The sum of `terms`, which may be another store's, with `replacement(factor)` for each factor without its power.
  template <class Replacement>
  Dim rebuild(const std::vector<Term>& terms, Replacement replacement) {
    Dim sum = constant(0);
    for (const Term& term : terms) {
      Dim product = constant(term.coefficient);
      for (const Factor& f : term.factors) {
        const Dim base = replacement(f);
        for (std::uint32_t i = 0; i < f.power; ++i) product = mul(product, base);
      }
      sum = add(sum, product);
    }
    return sum;
  }
  // The dimension that is the factor without its power.
  Dim base(const Factor& factor);
  // Replaces each variable for which `replacement` gives a dimension.
  Dim substitute(Dim d, const std::function<std::optional<Dim>(DimVar)>& replacement);

  // In canonical order, as users write it: `h*w + 1`, `(h / 16)*(w / 16)`, `ceildiv(h, 2)`.
  std::string print(Dim d, const std::function<std::string(DimVar)>& nameOf) const;
  std::string print(Dim d) const;

 private:
  enum class Form : std::uint8_t { other, constant, variable };
  struct Node {
    std::vector<Term> terms;  // sorted by factors, no zero coefficients
    std::vector<DimVar> variables;
    Form form = Form::other;
    std::int64_t value = 0;  // of a constant; a variable's index
  };
  using Terms = std::vector<Term>;

  Dim intern(Terms terms);
  Dim atomDim(DimOp op, Dim left, Dim right);
  Dim sumOf(Dim a, Dim b, bool isDifference);
  Dim productOf(Dim a, Dim b);
  Dim quotientOf(Dim a, Dim b);
  Dim remainderOf(Dim a, Dim b);
  Dim roundedUpQuotientOf(Dim a, Dim b);
  Dim extremeOf(DimOp op, Dim a, Dim b);
  void collectOperands(DimOp op, Dim d, std::vector<Dim>& into) const;
  bool isAtLeast(Dim a, Dim b, int depth);
  Dim divideByConstant(Dim a, std::int64_t c);
  std::optional<Dim> divideExactly(Dim a, Dim b);

  Dim internSorted(Terms terms);  // each product once, no zero coefficients
  Dim internMerged(Terms terms);  // the same, and not too large
  void count(std::size_t terms);

  static constexpr std::int64_t leastKept = -8, mostKept = 1024;

  std::uint64_t work_ = 0, workLimit_ = UINT64_MAX;
  const std::atomic<bool>* interrupt_ = nullptr;
  std::vector<Node> dims_;
  std::vector<Atom> atoms_;
  std::vector<std::string> names_;
  InternIndex internedDims_, internedAtoms_;
  std::vector<std::uint32_t> keptVariables_, keptConstants_;  // 0 where there is none yet: dims_[0] is undefined
};

// A copy of the terms of `d`, which stays valid while the store grows.
inline std::vector<Term> termsOf(const DimStore& store, Dim d) {
  return {store.terms(d).begin(), store.terms(d).end()};
}

}  // namespace axle
