#include "typecheck/report/propose_where.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dims/decide/evaluate.h"
#include "dims/decide/simplify.h"
#include "typecheck/solver/fact_tiers.h"

namespace axle {
namespace {

DimFact relation(Dim left, FactRelation how, Dim right) {
  DimFact fact;
  fact.left = left;
  fact.relation = how;
  fact.right = right;
  return fact;
}

// The fact that is needed, with the parts that the makers below build clauses of.
struct Needed {
  DimStore& dims;
  const DimFact& fact;
  std::vector<Atom> atoms;
  std::vector<DimVar> variables;

  Dim constant(std::int64_t value) const { return dims.constant(value); }
};

using Facts = std::vector<DimFact>;

// The fact itself, which is often simple enough.
void asNeeded(const Needed& n, Facts& out) { out.push_back(n.fact); }

// Exact divisions: n % 2 == 0 implies `n*d == 2*d*(n / 2)`.
void exactQuotients(const Needed& n, Facts& out) {
  for (const Atom& atom : n.atoms) {
    if (atom.op != DimOp::div && atom.op != DimOp::mod) continue;
    Dim rest = n.dims.mod(atom.left, atom.right);
    if (!n.dims.asConstant(rest)) out.push_back(relation(rest, FactRelation::eq, n.constant(0)));
  }
}

// Positive divisors: k >= 1 implies `t >= k*(t / k)`.
void positiveDivisors(const Needed& n, Facts& out) {
  for (const Atom& atom : n.atoms)
    if ((atom.op == DimOp::div || atom.op == DimOp::mod) && !n.dims.asConstant(atom.right))
      out.push_back(relation(atom.right, FactRelation::ge, n.constant(1)));
}

// The order of the two operands of a maximum or minimum.
void orders(const Needed& n, Facts& out) {
  for (const Atom& atom : n.atoms) {
    if (atom.op != DimOp::max && atom.op != DimOp::min) continue;
    for (FactRelation how : {FactRelation::ge, FactRelation::le, FactRelation::eq})
      out.push_back(relation(atom.left, how, atom.right));
  }
}

// Bounds of a single variable: where the fact begins or ceases to hold, or the one value for which it holds.
void bounds(const Needed& n, Facts& out) {
  constexpr std::int64_t tried = 512;
  if (n.variables.size() != 1) return;
  Dim v = n.dims.variable(n.variables[0]);
  std::vector<std::int64_t> values(n.dims.variableCount(), 0);
  std::vector<std::int64_t> changes;  // values at which the fact begins or ceases to hold
  bool before = false;
  for (std::int64_t value = 0; value < tried && changes.size() < 4; ++value) {
    values[n.variables[0].index] = value;
    bool isSo = decide::holds(n.dims, n.fact, values).value_or(false);
    if (isSo != before) changes.push_back(value);
    before = isSo;
  }
  auto offer = [&](FactRelation how, std::int64_t bound) {
    out.push_back(relation(v, how, n.constant(bound)));
    out.back().stated = true;  // printed with the variable first
  };
  if (changes.size() == 1) offer(FactRelation::ge, changes[0]);
  if (changes.size() == 2 && changes[0] + 1 == changes[1]) offer(FactRelation::eq, changes[0]);
  if (changes.size() == 2 && changes[0] == 0) offer(FactRelation::le, changes[1] - 1);
}

using Maker = void (*)(const Needed&, Facts&);
constexpr Maker makers[] = {asNeeded, exactQuotients, positiveDivisors, orders, bounds};

// A clause to be tried, with its text.
struct Candidate {
  Facts facts;
  std::string text;
};

class Search {
 public:
  Search(const Proposer& with, const Facts& known, const Facts& others)
      : with_(with), solver_(with.checked.solver), known_(known), others_(others) {}

  std::optional<Proposal> find(const DimFact& fact) {
    Solution& solution = with_.checked.solution;
    Needed needed{solution.dims, fact, {}, {}};
    std::set<std::uint32_t> atoms;
    for (Dim side : {fact.left, fact.right}) decide::collectAtoms(solution.dims, side, atoms);
    for (std::uint32_t index : atoms) needed.atoms.push_back(solution.dims.atom(index));
    std::set<DimVar> variables;
    for (Dim side : {fact.left, fact.right})
      variables.insert(solution.dims.variables(side).begin(), solution.dims.variables(side).end());
    needed.variables.assign(variables.begin(), variables.end());
    if (!std::all_of(variables.begin(), variables.end(), with_.isNamed)) return std::nullopt;
    Facts facts;
    for (Maker maker : makers) maker(needed, facts);
    for (const Candidate& candidate : inOrder(std::move(facts)))
      if (suffices(candidate, fact) && isSatisfiable(candidate, fact))
        return Proposal{candidate.text, isNeeded(candidate, fact)};
    return std::nullopt;
  }

 private:
  // The candidates by length, equal ones in the order of the makers; pairs only if they are shorter than the fact
  // itself.
  std::vector<Candidate> inOrder(Facts facts) {
    constexpr std::size_t most = 12, mostPaired = 5;
    if (facts.size() > most) facts.resize(most);
    std::vector<std::string> texts = with_.print(facts);
    std::vector<Candidate> out;
    for (std::size_t i = 0; i < facts.size(); ++i) out.push_back({{facts[i]}, texts[i]});
    for (std::size_t i = 1; i < std::min(facts.size(), mostPaired); ++i)
      for (std::size_t j = 1; j < i; ++j) {
        std::string both = texts[i] + ", " + texts[j];
        if (texts[i] != texts[j] && both.size() < texts[0].size()) out.push_back({{facts[i], facts[j]}, both});
      }
    std::stable_sort(out.begin(), out.end(),
                     [](const Candidate& a, const Candidate& b) { return a.text.size() < b.text.size(); });
    return out;
  }

  bool suffices(const Candidate& candidate, const DimFact& fact) {
    Facts given = known_;
    given.insert(given.end(), candidate.facts.begin(), candidate.facts.end());
    return factFollows(solver_, fact, given);
  }

  bool isSatisfiable(const Candidate& candidate, const DimFact& fact) {
    Facts given = others_;
    given.insert(given.end(), candidate.facts.begin(), candidate.facts.end());
    return factIsSatisfiable(solver_, fact, given);
  }

  // Whether the fact implies the clause, so that callers lose nothing by it.
  bool isNeeded(const Candidate& candidate, const DimFact& fact) {
    Facts given = known_;
    given.push_back(fact);
    return std::all_of(candidate.facts.begin(), candidate.facts.end(),
                       [&](const DimFact& each) { return factFollows(solver_, each, given); });
  }

  const Proposer& with_;
  Solver& solver_;
  const Facts& known_;   // stated, or proposed for
  const Facts& others_;  // all other facts that must hold
};

}  // namespace

std::vector<std::optional<Proposal>> Proposer::proposals(const std::vector<DimFact>& stated,
                                                         const std::vector<DimFact>& left) const {
  auto resolved = [&](Facts facts) {
    for (DimFact& fact : facts) {
      fact.left = checked.solution.resolve(fact.left);
      fact.right = checked.solution.resolve(fact.right);
    }
    return facts;
  };
  Facts known = resolved(stated), all = known;
  const Facts open = resolved(left);
  all.insert(all.end(), open.begin(), open.end());
  std::vector<std::optional<Proposal>> out;
  for (const DimFact& fact : open) {
    out.push_back(fact.stated ? std::nullopt : Search(*this, known, all).find(fact));
    known.push_back(fact);
  }
  return out;
}

}  // namespace axle
