#include "import/tensorflow/analysis/branches.h"

#include <algorithm>
#include <set>

#include "import/builder/control_shapes.h"
#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/structural_operators.h"
#include "import/tensorflow/analysis/typed_facts.h"

namespace axle::tensorflow {
namespace {

using AssignedValues = std::map<VariableId, TypedId>;

bool inferCases(Analysis& analysis, MergedCases& merged) {
  if (merged.cases.size() > 1)
    if (auto selected = selectedCase(analysis, merged.by, merged.cases.size()))
      merged.cases = {OutletFact(merged.cases[*selected])};
  std::vector<TypedId> values;
  for (const OutletFact& fact : merged.cases) values.push_back(fact.value);
  return inferMergedShape(analysis.typer, values, merged.merged.value, merged.at);
}

bool haveSameValue(const OutletFacts& cases) {
  const std::optional<Known>& first = cases.front().known;
  return first && std::all_of(cases.begin(), cases.end(), [&](const OutletFact& c) {
           return c.known && c.known->shape == first->shape && c.known->elements == first->elements;
         });
}

// Returns the functions that a node may call; only one if the number that selects it is known. The last is called for
// every number without a function of its own.
std::vector<const FunctionName*> branchFunctions(const StructuralNode& n) {
  std::vector<const FunctionName*> branches;
  if (const auto* cases = n.node.get<Values>("branches"))
    for (const Value& value : *cases) branches.push_back(std::get_if<FunctionName>(&value));
  else
    branches = {n.node.get<FunctionName>("else_branch"), n.node.get<FunctionName>("then_branch")};
  const auto selected = branches.empty() ? std::nullopt : n.number(0);
  if (!selected) return branches;
  const auto last = std::ssize(branches) - 1;
  return {branches[static_cast<std::size_t>(*selected < 0 || *selected > last ? last : *selected)]};
}

// Returns the variables to which one of the branches assigns a new value.
std::set<VariableId> changedVariables(const AssignedValues& before, const std::vector<AssignedValues>& branches) {
  std::set<VariableId> changed;
  for (const AssignedValues& branch : branches)
    for (const auto& [variable, value] : branch)
      if (auto was = before.find(variable); was == before.end() || was->second != value) changed.insert(variable);
  return changed;
}

// Adds the variables that the branches assign to the results of the branch.
void mergeAssigned(Analysis& analysis, const std::vector<AssignedValues>& branches,
                   const std::vector<std::string>& names, Branch& branch) {
  AssignedValues& assigned = analysis.variables.assigned;
  for (VariableId variable : changedVariables(assigned, branches)) {
    OutletFacts cases;
    for (std::size_t k = 0; k < branches.size(); ++k) {
      OutletFact fact;
      fact.type = analysis.model.variables[variable.index].type;
      const auto its = branches[k].find(variable);
      fact.value = its == branches[k].end() ? variableValue(analysis, variable, branch.at) : its->second;
      branch.cases[k].push_back(fact);
      cases.push_back(std::move(fact));
    }
    branch.results.push_back(mergeCases(analysis, std::move(cases), branch.by, branch.name, branch.at,
                                        {analysis.model.variables[variable.index].name, names}));
    assigned[variable] = branch.results.back().value;
  }
}

// Types If and Case, which call one of their functions, selected by the first input.
Outcome followBranches(StructuralNode& n) {
  const std::vector<const FunctionName*> branches = branchFunctions(n);
  if (branches.empty()) return Outcome::unknown;
  std::vector<OutletFacts> results;
  std::vector<std::string> names;
  std::vector<AssignedValues> assigned;
  AssignedValues& now = n.analysis.variables.assigned;
  const AssignedValues before = now;
  for (const FunctionName* f : branches) {
    if (!f || !f->id) return Outcome::unknown;
    OutletFacts arguments;
    for (std::size_t i = 1; i < n.count(); ++i) arguments.push_back(n.fact(i));
    now = before;
    auto result = followCall(n.analysis, n.frame, n.id, *f->id, f->attributes, std::move(arguments));
    if (!result) return Outcome::unknown;
    results.push_back(std::move(*result));
    names.push_back(functionLabel(n.node, *f->id, n.analysis.model[*f->id]));
    assigned.push_back(now);
  }
  const Selector by{&n.frame, n.node.inputs[0]};
  for (std::uint32_t port = 0; port < results[0].size(); ++port) {
    OutletFacts cases;
    for (const OutletFacts& result : results)
      if (port < result.size()) cases.push_back(result[port]);
    n.facts.push_back(
        mergeCases(n.analysis, std::move(cases), by, n.name, n.places.op, {outletLabel(n.frame, {n.id, port}), names}));
  }
  if (results.size() == 1) return Outcome::done;
  Branch branch{by, std::move(results), n.facts, n.places.op, n.name};
  now = before;
  mergeAssigned(n.analysis, assigned, names, branch);
  n.analysis.branches.byNode[n.site()] = {std::move(branch)};
  return Outcome::done;
}

}  // namespace

std::optional<std::size_t> selectedCase(Analysis& analysis, const Selector& by, std::size_t count) {
  const auto number = by.frame ? knownNumber(analysis.typer, by.frame->factOf(by.outlet)) : std::nullopt;
  if (!number) return std::nullopt;
  return *number < 0 || *number >= static_cast<std::int64_t>(count) ? count - 1 : static_cast<std::size_t>(*number);
}

OutletFact mergeCases(Analysis& analysis, OutletFacts cases, const Selector& by, const std::string& name, Span at,
                      CaseNames names) {
  GraphTyper& typer = analysis.typer;
  if (cases.size() == 1) return cases[0];
  if (auto selected = selectedCase(analysis, by, cases.size())) return cases[*selected];
  if (!cases[0].value) {
    const bool lengthsDiffer = std::any_of(cases.begin(), cases.end(), [&](const OutletFact& c) {
      return c.list && cases[0].list &&
             typer.solution().resolve(c.list->length) != typer.solution().resolve(cases[0].list->length);
    });
    if (lengthsDiffer) cases[0].list = withOpenLength(typer, *cases[0].list);
    return withContent(typer, cases[0], name, at);
  }
  OutletFact merged = opaqueFact(typer, name, cases[0].type, typer.unknownShape("s"), at);
  if (!merged.value) return merged;
  if (haveSameValue(cases)) merged.known = cases.front().known;
  analysis.branches.merged.push_back({std::move(cases), by, merged, at, std::move(names)});
  inferCases(analysis, analysis.branches.merged.back());
  return merged;
}

bool inferMergedCases(Analysis& analysis) {
  bool learnt = false;
  for (MergedCases& merged : analysis.branches.merged) learnt |= inferCases(analysis, merged);
  return learnt;
}

std::span<const StructuralOperator> branchOperators() {
  static constexpr StructuralOperator rows[] = {
      {"Case", followBranches},
      {"If", followBranches},
      {"StatelessCase", followBranches},
      {"StatelessIf", followBranches},
  };
  return rows;
}

}  // namespace axle::tensorflow
