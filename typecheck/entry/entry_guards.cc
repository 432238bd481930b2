// Guards of an entry: facts that only the sizes of a run can decide.
#include <algorithm>

#include <fmt/format.h>

#include "typecheck/entry/entry_steps.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/implied_facts.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/needed_size.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

constexpr Message<arg::Name, arg::Code, Phrase> factFails{codes::factRefuted, "{} needs {}, which does not hold{}",
                                                          "asked for here"};
constexpr Message<arg::Name, arg::Name> sizeOfNoInput{codes::openEntry, "{} follows from no input of {}",
                                                      "stated here"};

// Returns the variables of a fact that have values, as in ": n is 3 and k is 2".
Phrase valuesIn(Solution& solution, const DimFact& fact) {
  std::vector<std::string> seen;
  Phrase values = "";
  for (Dim side : {fact.left, fact.right})
    for (DimVar v : solution.dims.variables(side)) {
      const Dim value = solution.resolve(solution.dims.variable(v));
      const Phrase text("{} is {}", arg::Size{solution.dims.name(v)}, arg::Size{solution.dims.print(value)});
      const bool isBound = solution.dims.asVariable(value) != v;
      if (!isBound || std::find(seen.begin(), seen.end(), text.text) != seen.end()) continue;
      seen.push_back(text.text);
      values = values.text.empty() ? Phrase(": {}", text) : Phrase("{} and {}", values, text);
    }
  return values;
}

void reportRefuted(EntryState& state, const DimFact& written, std::string counterexample) {
  Solution& solution = state.checked.solution;
  const auto need = neededSize(solution, written);
  const std::string fact =
      need ? fmt::format("{} {} {}", solution.dims.name(need->size), spelling(need->relation), need->bound)
           : fmt::format("{} {} {}", solution.dims.print(written.left), spelling(written.relation),
                         solution.dims.print(written.right));
  Diagnostic& d = report(state, factFails, written.places.empty() ? state.span : written.places.front(),
                         arg::Name{state.options.name}, arg::Code{fact}, valuesIn(solution, written));
  if (!counterexample.empty()) d.notes.push_back(std::move(counterexample));
}

// Returns a size that gets a value from neither an input nor the run.
std::optional<DimVar> unboundSize(EntryState& state, const DimFact& fact) {
  Checked& c = state.checked;
  const std::vector<DimVar>& symbols = state.entry.symbols;
  OpenVariables v;
  collectVariables(c.solver, fact.left, v);
  collectVariables(c.solver, fact.right, v);
  auto unbound = std::find_if(v.dims.begin(), v.dims.end(), [&](DimVar size) {
    return !isMadeInRun(c.solution, size) && std::find(symbols.begin(), symbols.end(), size) == symbols.end();
  });
  return unbound == v.dims.end() ? std::nullopt : std::optional(*unbound);
}

// Decides a fact. A fact that is neither proved nor refuted becomes a guard and is assumed from here on. Drops a fact
// about values that this entry does not read.
void addFact(EntryState& state, DimFact fact) {
  Checked& c = state.checked;
  const DimFact written = fact;
  fact.left = c.solution.resolve(fact.left);
  fact.right = c.solution.resolve(fact.right);
  std::string counterexample;
  const FactVerdict verdict = decideFact(c.solver, fact, &counterexample);
  if (verdict == FactVerdict::proved) {
    state.entry.proved.push_back({fact, c.solver.decidedBy});
  } else if (verdict == FactVerdict::refuted) {
    reportRefuted(state, written, std::move(counterexample));
  } else {
    noteGivenUp(c.solver, fact);
    if (const auto unbound = unboundSize(state, fact)) {
      if (fact.stated)
        report(state, sizeOfNoInput, fact.places.front(), arg::Name{c.solution.dims.name(*unbound)},
               arg::Name{state.options.name});
      return;
    }
    c.solver.assumptions.push_back(fact);
    state.entry.guards.push_back(std::move(fact));
  }
}

bool mentionsRun(Checked& c, const DimComparison& fact) {
  OpenVariables v;
  collectVariables(c.solver, fact.left, v);
  collectVariables(c.solver, fact.right, v);
  return std::any_of(v.dims.begin(), v.dims.end(), [&](DimVar size) { return isMadeInRun(c.solution, size); });
}

}  // namespace

void guardRefinedNames(EntryState& state) {
  Checked& c = state.checked;
  for (const RefinedName& name : state.refinedNames) {
    if (state.options.dims.count(name.name)) continue;  // the options set it to the number
    const DimVar symbol = freshDim(c.solver, name.name, true);
    const Dim size = c.solution.dims.variable(symbol);
    state.entry.symbols.push_back(symbol);
    const std::size_t axis = c.solution.resolve(name.before).size();
    state.entry.inputs[state.firstInput.at(name.parameter)].named.emplace_back(axis, size);
    DimFact guard;
    guard.left = size;
    guard.relation = FactRelation::eq;
    guard.right = name.value;
    guard.reason = fmt::format("`{}` is inferred to be a number", name.name);
    guard.places = {name.span};
    if (name.source && !(name.source->span == name.span)) guard.places.push_back(name.source->span);
    if (name.source && !name.source->owner.empty()) guard.reason += fmt::format(", by `{}`", name.source->owner);
    guard.stated = true;
    addFact(state, std::move(guard));
  }
}

void collectGuards(EntryState& state) {
  Checked& c = state.checked;
  const std::size_t assumed = c.solver.assumptions.size();
  for (const DimFact& fact : state.stated) addFact(state, fact);
  for (const Constraint& constraint : takeConstraints(c.solver, [](const Constraint&) { return true; })) {
    const auto comparison = comparisonOf(constraint);
    if (!comparison) continue;  // it is about values that nothing reads
    const bool inMatch = c.provenance[constraint.reason].kind == ReasonKind::match;
    if (inMatch && mentionsRun(c, *comparison)) continue;  // the `match` checks it when it runs
    addFact(state, factOf(c, constraint));
  }
  c.solver.assumptions.resize(assumed);
  state.entry.guards = withoutImplied(c.solver, std::move(state.entry.guards));
}

}  // namespace axle
