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

// `left op right`, where `op` is div, mod, max or min: an operation that a polynomial cannot express.
struct Atom {
  DimOp op;
  Dim left, right;
  friend bool operator==(const Atom&, const Atom&) = default;
};

// A variable or an atom, raised to a power.
struct Factor {
  bool isAtom = false;
  std::uint32_t index = 0;  // DimVar::index, or an argument of DimStore::atom
  std::uint32_t power = 1;
  friend auto operator<=>(const Factor&, const Factor&) = default;
};

struct Term {
  std::int64_t coefficient = 0;
  std::vector<Factor> factors;  // sorted; empty for the constant term
  friend auto operator<=>(const Term&, const Term&) = default;
};

// Thrown when a store exceeds its limit of work.
struct DimsTooLarge : std::exception {
  const char* what() const noexcept override { return "the arithmetic of sizes exceeds its limit of work"; }
};

// Thrown when work is interrupted; see `DimStore::interruptWith`.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Owns dimensions and their variables. Append-only: ids stay valid until `rollback` drops them. Arithmetic that
// overflows 64 bits, and a division by the constant 0, give `undefined()`, which propagates through further arithmetic.
// Every size must have a negative, so INT64_MIN may be a constant by itself but not a coefficient in a sum.
class DimStore {
 public:
  DimStore();

  // Each operation counts the terms that it makes as work; once the total exceeds `limit`, it throws DimsTooLarge.
  void limitWork(std::uint64_t limit) { workLimit_ = limit; }
  std::uint64_t work() const { return work_; }

  // Arithmetic throws Interrupted once `flag` is set, by any thread or a signal handler. Null: never.
  void interruptWith(const std::atomic<bool>* flag) { interrupt_ = flag; }
  const std::atomic<bool>* interrupt() const { return interrupt_; }
  void checkInterrupt() const {
    if (interrupt_ && interrupt_->load(std::memory_order_relaxed)) throw Interrupted();
  }

  // Drops the dimensions and variables made since the mark. Their work stays counted.
  struct Mark {
    std::size_t dims, atoms, names;
  };
  Mark mark() const { return {dims_.size(), atoms_.size(), names_.size()}; }
  void rollback(const Mark& to) noexcept;

  DimVar newVariable(std::string name);
  const std::string& name(DimVar v) const { return names_[v.index]; }
  std::size_t variableCount() const { return names_.size(); }

  Dim constant(std::int64_t value);
  // Returns the sum of `terms`, whose factors must be sorted variables and atoms of this store.
  Dim fromTerms(std::vector<Term> terms) { return intern(std::move(terms)); }
  Dim variable(DimVar v);
  Dim undefined() const { return Dim{0}; }
  // Returns `a op b`; `op` must be an operator, not a leaf.
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
  // Returns the variable if `d` is a variable and nothing else.
  std::optional<DimVar> asVariable(Dim d) const {
    const Node& node = dims_[d.index];
    if (node.form != Form::variable) return std::nullopt;
    return DimVar{static_cast<std::uint32_t>(node.value)};
  }
  // Returns the quotient, remainder, maximum or minimum if `d` is one and nothing else.
  std::optional<Atom> asAtom(Dim d) const {
    const Terms& terms = dims_[d.index].terms;
    const bool isOne = terms.size() == 1 && terms[0].coefficient == 1 && terms[0].factors.size() == 1 &&
                       terms[0].factors[0].isAtom && terms[0].factors[0].power == 1;
    return isOne ? std::optional(atoms_[terms[0].factors[0].index]) : std::nullopt;
  }
  std::span<const Term> terms(Dim d) const { return dims_[d.index].terms; }
  const Atom& atom(std::uint32_t index) const { return atoms_[index]; }
  // All variables, including those inside atoms; sorted, each once.
  std::span<const DimVar> variables(Dim d) const { return dims_[d.index].variables; }

  // Returns the sum of `terms` with each factor's base replaced by `replacement(factor)`. The terms may be another
  // store's.
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
  // Returns the factor without its power.
  Dim base(const Factor& factor);
  // Replaces each variable for which `replacement` returns a dimension.
  Dim substitute(Dim d, const std::function<std::optional<Dim>(DimVar)>& replacement);

  // Prints in canonical order, as users write it: `h*w + 1`, `(h / 16)*(w / 16)`, `ceildiv(h, 2)`.
  std::string print(Dim d, const std::function<std::string(DimVar)>& nameOf) const;
  std::string print(Dim d) const;

 private:
  enum class Form : std::uint8_t { other, constant, variable };
  struct Node {
    std::vector<Term> terms;  // sorted by factors, no zero coefficients
    std::vector<DimVar> variables;
    Form form = Form::other;
    std::int64_t value = 0;  // the constant, or the variable's index
  };
  using Terms = std::vector<Term>;

  Dim intern(Terms terms);
  Dim atomDim(DimOp op, Dim left, Dim right);
  Dim sumOf(Dim a, Dim b, bool isDifference);
  Dim productOf(Dim a, Dim b);
  Dim quotientOf(Dim a, Dim b);
  Dim remainderOf(Dim a, Dim b);
  Dim remainderByConstant(Dim a, std::int64_t c);
  Dim roundedUpQuotientOf(Dim a, Dim b);
  Dim extremeOf(DimOp op, Dim a, Dim b);
  void collectOperands(DimOp op, Dim d, std::vector<Dim>& into) const;
  bool isAtLeast(Dim a, Dim b, int depth);
  Dim divideByConstant(Dim a, std::int64_t c);
  std::optional<Dim> divideExactly(Dim a, Dim b);

  Dim internSorted(Terms terms);  // each product once, no zero coefficients
  Dim internMerged(Terms terms);  // as above, and not too large
  void count(std::size_t terms);

  static constexpr std::int64_t leastKept = -8, mostKept = 1024;

  std::uint64_t work_ = 0, workLimit_ = UINT64_MAX;
  const std::atomic<bool>* interrupt_ = nullptr;
  std::vector<Node> dims_;
  std::vector<Atom> atoms_;
  std::vector<std::string> names_;
  InternIndex internedDims_, internedAtoms_;
  std::vector<std::uint32_t> keptVariables_, keptConstants_;  // 0: none yet (dims_[0] is undefined)
};

// Returns a copy of the terms of `d`, which stays valid while the store grows.
inline std::vector<Term> termsOf(const DimStore& store, Dim d) {
  return {store.terms(d).begin(), store.terms(d).end()};
}

}  // namespace axle
