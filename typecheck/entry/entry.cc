// Prepares entries: a function (or value) made monomorphic, with the remaining guards (docs/language.md, The entry).
#include "typecheck/entry/entry_steps.h"
#include "typecheck/infer/scheme.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_kinds.h"

namespace axle {

Span startOf(const Checked& checked) {
  return checked.modules.modules.empty() ? Span{} : Span{checked.modules.root().source, 0, 0};
}

bool reportConflict(Checked& checked, Diagnostics& diagnostics) {
  solve(checked.solver);
  if (checked.solver.conflicts.empty()) return false;
  diagnostics.push_back(explain(checked, checked.solver.conflicts.front()));
  checked.solver.conflicts.clear();
  return true;
}

bool isMadeInRun(const Solution& solution, DimVar size) {
  const DimVarInfo& info = solution.dimVars[size.index];
  return info.kind == DimKind::ragged || (info.kind == DimKind::runtime && info.rigid);
}

namespace {

constexpr Message<arg::Name> entryTypesGrow{codes::typesTooLarge, "the types of {} grow too large to compile",
                                            "in this file"};
constexpr Message<arg::Name> entrySizesGrow{codes::typesTooLarge, "the sizes of {} grow too large to compile",
                                            "in this file"};

// Decides constraints that wait for a choice, and reports conflicts of the choices.
bool settleEntry(EntryState& state, const VariableMark& mark) {
  Checked& c = state.checked;
  const TypeTerm function = c.solution.types[c.solution.resolve(state.type)];
  const std::vector<TypeId> given = function.kind == TypeKind::function ? function.parts : std::vector<TypeId>{};
  for (bool moved = true; moved;) {
    settleOpenChoices(c, mark, given);
    if (reportConflict(c, state.diagnostics) || !settleSplits(state, moved)) return false;
  }
  for (std::size_t i = 0; i < given.size() && c.solver.conflicts.empty() && !c.isGraph; ++i)
    checkGivenType(c.solver, given[i], mark.dims, i < state.parameterNames.size() ? state.parameterNames[i] : "");
  return !reportConflict(c, state.diagnostics);
}

// A batch has a known length, so lower bounds of streamed sizes are guards; the types still mark the streamed sizes.
void markStreams(EntryState& state) {
  Solution& solution = state.checked.solution;
  for (Dim stream : state.streams)
    for (DimVar v : solution.dims.variables(solution.resolve(stream)))
      if (solution.dimVars[v.index].kind == DimKind::plain) solution.dimVars.edit(v.index).kind = DimKind::streamed;
}

void finishEntry(EntryState& state) {
  Checked& c = state.checked;
  Entry& entry = state.entry;
  markStreams(state);
  std::vector<ProvedFact> settled;  // proved before the guards were collected
  for (const FactProof& proof : c.solver.proofs) settled.push_back({factOf(c, proof.fact), proof.tier});
  entry.proved.insert(entry.proved.begin(), settled.begin(), settled.end());
  entry.name = state.options.name;
  entry.function = state.function;
  for (TypeId& parameter : entry.parameters) parameter = c.solution.resolve(parameter);
  for (auto* ports : {&entry.inputs, &entry.outputs})
    for (EntryPort& port : *ports) {
      port.type = c.solution.resolve(port.type);
      port.text = printType(c, port.type, entry.guards);
    }
  entry.type = printType(c, state.type, entry.guards, shownNames(state.parameterNames));
}

// Sets `open` and returns true if the unknown rank of an input decides a shape.
bool isOpen(EntryState& state, std::optional<OpenEntry>* open) {
  Solution& solution = state.checked.solution;
  if (!open || solution.types[solution.resolve(state.type)].kind != TypeKind::function) return false;
  *open = openEntry(state.checked, state.type, state.parameterNames, state.options);
  return open->has_value();
}

std::optional<Entry> prepare(EntryState state, std::optional<OpenEntry>* open) {
  Checked& c = state.checked;
  if (!findEntry(state)) return std::nullopt;
  const VariableMark mark = markVariables(c);
  c.solver.proofs.clear();
  c.solver.level = 1;
  instantiateEntry(state);
  if (!specialiseEntry(state) || !settleEntry(state, mark)) return std::nullopt;
  defaultElements(state);
  if (reportConflict(c, state.diagnostics) || !checkTupleSizes(state) || isOpen(state, open)) return std::nullopt;
  if (!addInputs(state) || !checkWeights(state) || !addOutputs(state)) return std::nullopt;
  nameSymbols(state);
  if (!checkOutputSizes(state)) return std::nullopt;
  guardRefinedNames(state);
  collectGuards(state);
  if (state.failed) return std::nullopt;
  finishEntry(state);
  return std::move(state.entry);
}

}  // namespace

std::optional<Entry> prepareEntry(Checked& checked, const EntryOptions& options, Diagnostics& diagnostics,
                                  std::optional<OpenEntry>* open) {
  if (checked.gaveUp) return std::nullopt;
  DimStore& dims = checked.solution.dims;
  dims.limitWork(dims.work() + maxDimWork);
  checked.solution.restartWork();
  std::optional<Entry> entry;
  try {
    entry = prepare(EntryState(checked, options, diagnostics), open);
  } catch (const TypesTooLarge&) {
    report(diagnostics, entryTypesGrow, startOf(checked), arg::Name{options.name});
  } catch (const DimsTooLarge&) {
    report(diagnostics, entrySizesGrow, startOf(checked), arg::Name{options.name});
  }
  dims.limitWork(UINT64_MAX);
  return entry;
}

}  // namespace axle
