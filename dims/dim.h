// Dimensions in one canonical form: integer polynomials over variables and interned atoms (`/`, `%`, max, min).
// Equality of two `Dim`s of one store is equality of their normal forms (LANGUAGE.md, section 4, tier 1).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace axle {

struct DimVar {
  std::uint32_t index = 0;
  friend auto operator<=>(DimVar, DimVar) = default;
};

struct Dim {
  std::uint32_t index = 0;
  friend auto operator<=>(Dim, Dim) = default;
};

// Division and remainder floor. `ceildiv(a, b)` is `(a + b - 1) / b`.
enum class AtomOp : std::uint8_t { div, mod, max, min };

struct Atom {
  AtomOp op;
  Dim left, right;
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

struct DimsTooLarge {};  // thrown past a store's limit of work

// Owns dimensions and their variables. Append-only: ids stay valid.
// Arithmetic that overflows 64 bits, and a division by the constant 0, give `undefined()`, which any further arithmetic
// keeps.
class DimStore {
 public:
  DimStore();

  // Arithmetic is counted by the terms that it makes; past `limit` in all it throws DimsTooLarge.
  void limitWork(std::uint64_t limit) { workLimit_ = limit; }
  std::uint64_t work() const { return work_; }

  DimVar newVariable(std::string name);
  const std::string& name(DimVar v) const { return names_[v.index]; }
  std::size_t variableCount() const { return names_.size(); }

  Dim constant(std::int64_t value);
  // The sum of terms whose factors are sorted and are variables and atoms of this store.
  Dim fromTerms(std::vector<Term> terms) { return intern(std::move(terms)); }
  Dim variable(DimVar v);
  Dim undefined() const { return Dim{0}; }
  Dim add(Dim a, Dim b);
  Dim sub(Dim a, Dim b);
  Dim mul(Dim a, Dim b);
  Dim div(Dim a, Dim b);
  Dim mod(Dim a, Dim b);
  Dim ceildiv(Dim a, Dim b);
  Dim max(Dim a, Dim b);
  Dim min(Dim a, Dim b);

  bool isUndefined(Dim d) const { return d.index == 0; }
  std::optional<std::int64_t> asConstant(Dim d) const;
  // The variable that `d` is, if it is one and nothing else.
  std::optional<DimVar> asVariable(Dim d) const;
  std::span<const Term> terms(Dim d) const { return dims_[d.index].terms; }
  const Atom& atom(std::uint32_t index) const { return atoms_[index]; }
  // All variables, those inside of atoms too, sorted, each once.
  std::span<const DimVar> variables(Dim d) const { return dims_[d.index].variables; }

  // Replaces each variable for which `replacement` gives a dimension.
  Dim substitute(Dim d, const std::function<std::optional<Dim>(DimVar)>& replacement);

  // In canonical order, as users write it: `h*w + 1`, `(h / 16)*(w / 16)`, `ceildiv(h, 2)`.
  std::string print(Dim d, const std::function<std::string(DimVar)>& nameOf) const;
  std::string print(Dim d) const;

 private:
  struct Node {
    std::vector<Term> terms;  // sorted by factors, no zero coefficients
    std::vector<DimVar> variables;
  };
  using Terms = std::vector<Term>;

  Dim intern(Terms terms);
  Dim atomDim(AtomOp op, Dim left, Dim right);
  Dim divideByConstant(Dim a, std::int64_t c);
  std::optional<Dim> divideExactly(Dim a, Dim b);

  Dim internMerged(Terms terms);  // sorted, each product once, no zero coefficients
  void count(std::size_t terms);

  static constexpr std::int64_t leastKept = -8, mostKept = 1024;

  std::uint64_t work_ = 0, workLimit_ = UINT64_MAX;
  std::vector<Node> dims_;
  std::vector<Atom> atoms_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> internedDims_;
  std::unordered_map<std::string, std::uint32_t> internedAtoms_;
  std::vector<std::uint32_t> keptVariables_, keptConstants_;  // 0 where there is none yet: dims_[0] is undefined
};

}  // namespace axle
