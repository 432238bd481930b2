#include "typecheck/solver/needed_size.h"

#include <vector>

#include "dims/decide/evaluate.h"

namespace axle {
namespace {

using decide::Wide;

// The claim that sum + plus is >= 0, <= 0 or == 0; `sum` has one variable.
struct LinearClaim {
  Dim sum;
  FactRelation relation;  // ge, le or eq
  Wide plus;              // added to the sum
};

struct SizeBound {
  FactRelation relation;
  Wide value;
};

FactRelation turned(FactRelation relation) {
  if (relation == FactRelation::eq) return relation;
  return relation == FactRelation::ge ? FactRelation::le : FactRelation::ge;
}

// Returns the bound on the sum's only term without its coefficient: X >= 3 for 2*X - 5 >= 0.
std::optional<SizeBound> boundOfTerm(std::int64_t coefficient, const LinearClaim& claim, Wide constant) {
  const Wide factor = coefficient < 0 ? -Wide{coefficient} : Wide{coefficient};
  const Wide least = coefficient < 0 ? constant : -constant;  // factor * X RELATION least
  const FactRelation relation = coefficient < 0 ? turned(claim.relation) : claim.relation;
  if (relation == FactRelation::eq && least % factor != 0) return std::nullopt;
  return SizeBound{relation,
                   relation == FactRelation::ge ? -decide::floorDiv(-least, factor) : decide::floorDiv(least, factor)};
}

// Solves a claim for its variable. None if the claim is not a single term of integer multiples and divisions by
// numbers.
std::optional<SizeBound> solved(DimStore& dims, LinearClaim claim) {
  for (;;) {
    Wide constant = claim.plus;
    std::optional<Term> open;
    for (const Term& term : termsOf(dims, claim.sum)) {
      if (!term.factors.empty() && open) return std::nullopt;
      if (term.factors.empty())
        constant += term.coefficient;
      else
        open = term;
    }
    if (!open || open->factors.size() != 1 || open->factors[0].power != 1) return std::nullopt;
    const auto bound = boundOfTerm(open->coefficient, claim, constant);
    const Factor factor = open->factors[0];
    if (!bound || !factor.isAtom) return bound;
    const Atom atom = dims.atom(factor.index);
    const auto by = dims.asConstant(atom.right);
    const bool isUp = atom.op == DimOp::ceildiv;
    if ((atom.op != DimOp::div && !isUp) || !by || *by < 1 || bound->relation == FactRelation::eq) return std::nullopt;
    // L / m >= b is L >= m*b, and L / m <= b is L <= m*b + m - 1; rounded up L > m*(b - 1) and L <= m*b.
    const bool isLeast = bound->relation == FactRelation::ge;
    const Wide least = isUp ? (bound->value - 1) * *by + 1 : bound->value * *by;
    const Wide most = isUp ? bound->value * *by : bound->value * *by + *by - 1;
    claim = {atom.left, bound->relation, isLeast ? -least : -most};
  }
}

bool isNameOrNumber(const DimStore& dims, Dim d) {
  return dims.isUndefined(d) || dims.asConstant(d) || dims.asVariable(d);
}

// Returns the claim left - right RELATION 0, with `<` and `>` as `<=` and `>=`.
std::optional<LinearClaim> claimOf(DimStore& dims, Dim left, FactRelation relation, Dim right) {
  const Dim sum = dims.sub(left, right);
  if (dims.isUndefined(sum)) return std::nullopt;
  switch (relation) {
    case FactRelation::lt:
      return LinearClaim{sum, FactRelation::le, 1};
    case FactRelation::gt:
      return LinearClaim{sum, FactRelation::ge, -1};
    case FactRelation::ne:
      return std::nullopt;
    default:
      return LinearClaim{sum, relation, 0};
  }
}

}  // namespace

std::optional<NeededSize> neededSize(Solution& solution, const DimComparison& fact) {
  DimStore& dims = solution.dims;
  if (isNameOrNumber(dims, fact.left) && isNameOrNumber(dims, fact.right)) return std::nullopt;
  std::vector<DimVar> sizes;
  for (Dim side : {fact.left, fact.right})
    for (DimVar v : std::vector<DimVar>(dims.variables(side).begin(), dims.variables(side).end())) {
      if (!dims.asConstant(solution.resolve(dims.variable(v)))) return std::nullopt;
      sizes.push_back(v);
    }
  for (DimVar size : sizes) {
    const auto numbers = [&](DimVar v) {
      return v == size ? std::nullopt : std::optional(solution.resolve(dims.variable(v)));
    };
    const auto claim =
        claimOf(dims, dims.substitute(fact.left, numbers), fact.relation, dims.substitute(fact.right, numbers));
    const auto bound = claim ? solved(dims, *claim) : std::nullopt;
    if (!bound || bound->value < 0 || bound->value > INT64_MAX) continue;
    return NeededSize{size, bound->relation, static_cast<std::int64_t>(bound->value)};
  }
  return std::nullopt;
}

}  // namespace axle
