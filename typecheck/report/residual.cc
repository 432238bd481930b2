// The facts of each top-level binding, sorted into proved, assumed and left.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "frontend/spans.h"
#include "typecheck/checked.h"
#include "typecheck/report/propose_where.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/variables.h"

namespace axle {

DimFact factOf(Checked& c, const Constraint& constraint) {
  DimFact fact;
  static_cast<DimComparison&>(fact) = *comparisonOf(constraint);
  if (const auto* asked = constraint.as<constraint::Fact>(); asked && asked->stretch)
    fact.stretch = std::pair(c.solution.resolve(asked->stretch->first), c.solution.resolve(asked->stretch->second));
  const Reason& why = c.provenance[constraint.reason];
  fact.reason = fmt::format("{} needs it", why.subject.empty() ? "the signature" : why.subject);
  fact.places = {why.span};
  for (ReasonId use = why.within; use.index != 0; use = c.provenance[use].within)
    fact.places.push_back(c.provenance[use].span);
  return fact;
}

void noteGivenUp(const Solver& solver, DimFact& fact) {
  if (solver.gaveUp) fact.reason += ", and the solver gave up on whether it can hold";
}

namespace {

// The text of a fact that became trivial, with the values that made it so: `d % h == 0 for d = 24, h = 4`. Nothing if
// it has no values of names.
std::optional<std::string> withItsValues(Checked& c, const DimFact& fact) {
  DimStore& dims = c.solution.dims;
  std::vector<std::string> values;
  for (Dim side : {fact.left, fact.right})
    for (DimVar v : dims.variables(side)) {
      Dim is = c.solution.resolve(dims.variable(v));
      if (dims.asVariable(is) == v || dims.name(v).empty()) continue;
      std::string text = fmt::format("{} = {}", dims.name(v), dims.print(is));
      if (dims.print(is) == dims.name(v)) continue;  // a variable of the caller with the same name
      if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(std::move(text));
    }
  if (values.empty()) return std::nullopt;
  return fmt::format("{} {} {} for {}", dims.print(fact.left), spelling(fact.relation), dims.print(fact.right),
                     fmt::join(values, ", "));
}

bool isTrivial(Checked& c, const DimFact& fact) {
  Dim difference = c.solution.dims.sub(c.solution.resolve(fact.left), c.solution.resolve(fact.right));
  return c.solution.dims.asConstant(difference).has_value();
}

bool ofTheRun(Checked& c, const Constraint& constraint) {
  OpenVariables v;
  collectVariables(c.solver, constraint, v);
  return std::any_of(v.dims.begin(), v.dims.end(), [&](DimVar var) {
    const DimVarInfo& info = c.solution.dimVars[var.index];
    return info.rigid && !info.universal;
  });
}

// Tells the sizes that the user named in the parameters.
std::function<bool(DimVar)> namedIn(Checked& c, TypeId function) {
  OpenVariables v;
  for (TypeId part : c.solution.types[c.solution.resolve(function)].parts) collectVariables(c.solver, part, v);
  return [&c, given = std::move(v.dims)](DimVar var) {
    const DimVarInfo& info = c.solution.dimVars[var.index];
    return info.named && info.kind != DimKind::ragged && std::find(given.begin(), given.end(), var) != given.end();
  };
}

FunctionFacts factsOf(Checked& c, const TopLevelName& top, Span whole) {
  FunctionFacts out;
  out.name = top.name;
  const Scheme* scheme = schemeOf(c, top.binding);
  const TypeId type = c.program[top.binding].type;
  std::vector<ProvedFact> proved;
  for (const FactProof& proof : c.proofs) {
    DimFact fact = factOf(c, proof.fact);
    if (!isWithin(fact.places.back(), whole)) continue;
    proved.push_back({std::move(fact), proof.tier});
  }
  std::vector<DimFact> assumed, left, leftToRun, delays;
  if (scheme) {
    assumed = scheme->stated;
    for (const Constraint& constraint : scheme->constraints)
      if (comparisonOf(constraint)) (ofTheRun(c, constraint) ? leftToRun : left).push_back(factOf(c, constraint));
    for (const Constraint& delay : scheme->delays) delays.push_back(factOf(c, delay));
    for (std::vector<DimFact>* facts : {&left, &leftToRun})
      for (DimFact& fact : *facts) {
        factFollows(c.solver, fact, assumed);
        noteGivenUp(c.solver, fact);
      }
  }
  std::vector<DimFact> all;
  for (const ProvedFact& p : proved) all.push_back(p.fact);
  all.insert(all.end(), assumed.begin(), assumed.end());
  all.insert(all.end(), left.begin(), left.end());
  all.insert(all.end(), leftToRun.begin(), leftToRun.end());
  all.insert(all.end(), delays.begin(), delays.end());
  if (all.empty()) return out;
  std::vector<std::string> texts = printFacts(c, type, scheme, all);
  auto text = texts.begin();
  for (ProvedFact& p : proved) {
    std::optional<std::string> told = isTrivial(c, p.fact) ? withItsValues(c, p.fact) : *text;
    ++text;
    bool isNew = told && std::none_of(out.proved.begin(), out.proved.end(), [&](const auto& other) {
                   return other.first == *told && other.second.fact.reason == p.fact.reason;
                 });
    if (isNew) out.proved.emplace_back(std::move(*told), std::move(p));
  }
  const Proposer proposer{c, [&](const std::vector<DimFact>& facts) { return printFacts(c, type, scheme, facts); },
                          namedIn(c, type)};
  std::vector<std::optional<Proposal>> proposals = proposer.proposals(assumed, left);
  for (DimFact& fact : assumed) {
    std::optional<std::string> told = isTrivial(c, fact) ? withItsValues(c, fact) : std::nullopt;
    out.assumed.emplace_back(told.value_or(*text), std::move(fact));
    ++text;
  }
  for (std::size_t i = 0; i < left.size(); ++i)
    out.left.push_back({*text++, std::move(left[i]), std::move(proposals[i])});
  for (DimFact& fact : leftToRun) out.leftToRun.emplace_back(*text++, std::move(fact));
  for (DimFact& fact : delays) out.delays.emplace_back(*text++, std::move(fact));
  return out;
}

}  // namespace

std::vector<std::optional<Proposal>> proposals(Checked& checked, const Entry& entry) {
  std::vector<DimFact> stated, left;
  for (const DimFact& fact : entry.guards) (fact.stated ? stated : left).push_back(fact);
  const Proposer proposer{checked,
                          [&](const std::vector<DimFact>& facts) {
                            std::vector<std::string> texts;
                            for (const DimFact& fact : facts) texts.push_back(printFact(checked, fact));
                            return texts;
                          },
                          [&](DimVar v) {
                            const auto& all = entry.symbols;
                            return std::find(all.begin(), all.end(), v) != all.end();
                          }};
  std::vector<std::optional<Proposal>> found = proposer.proposals(stated, left), out;
  auto next = found.begin();
  for (const DimFact& fact : entry.guards) out.push_back(fact.stated ? std::nullopt : std::move(*next++));
  return out;
}

std::vector<FunctionFacts> functionFacts(Checked& checked) {
  std::vector<FunctionFacts> out;
  if (checked.gaveUp) return out;
  checked.solution.restartWork();
  for (const TopLevelName& top : checked.rootNames) {
    if (checked.failed.count(top.binding.index)) continue;
    Span whole = checked.program[top.binding].span;
    for (std::uint32_t index : checked.program.topLevel)
      if (const TypedLet& let = checked.program.lets[index]; isWithin(whole, let.span)) whole = let.span;
    try {
      FunctionFacts facts = factsOf(checked, top, whole);
      if (!facts.proved.empty() || !facts.assumed.empty() || !facts.left.empty() || !facts.leftToRun.empty() ||
          !facts.delays.empty())
        out.push_back(std::move(facts));
    } catch (const TypesTooLarge&) {
      continue;  // its type is not printed either
    }
  }
  return out;
}

}  // namespace axle
