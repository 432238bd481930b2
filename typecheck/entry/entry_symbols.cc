// Symbols of an entry: one for each open size of its inputs.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "typecheck/entry/entry_steps.h"
#include "typecheck/entry/example_sizes.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

struct InputSizes {
  std::vector<DimVar> plain, ragged;  // no duplicates; sizes that are whole axes come before those in expressions
};

InputSizes sizesOfInputs(Solution& solution, const std::vector<EntryPort>& inputs) {
  InputSizes sizes;
  auto add = [&](Dim dim) {
    for (DimVar v : solution.dims.variables(solution.resolve(dim))) {
      std::vector<DimVar>& to = solution.dimVars[v.index].kind == DimKind::ragged ? sizes.ragged : sizes.plain;
      if (std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
    }
  };
  for (const EntryPort& input : inputs)
    for (const ShapePart& part : solution.types[input.type].shape)
      if (solution.dims.asVariable(part.dim)) add(part.dim);
  for (const EntryPort& input : inputs)
    for (const ShapePart& part : solution.types[input.type].shape) add(part.dim);
  return sizes;
}

// Makes unused names: `n`, or `n2`, `n3`, ...
class NewNames {
 public:
  void take(const std::string& name) { used_.insert(name); }
  std::string make(const std::string& base) {
    std::string chosen = base;
    for (int i = 2; used_.count(chosen); ++i) chosen = base + std::to_string(i);
    used_.insert(chosen);
    return chosen;
  }

 private:
  std::set<std::string> used_;
};

}  // namespace

void nameSymbols(EntryState& state) {
  Checked& c = state.checked;
  Solution& solution = c.solution;
  const InputSizes sizes = sizesOfInputs(solution, state.entry.inputs);
  NewNames names;
  for (const RefinedName& name : state.refinedNames) names.take(name.name);
  std::map<std::uint32_t, std::string> nameOf;
  for (bool isNamed : {true, false})  // the user's names first
    for (DimVar v : sizes.plain)
      if (solution.dimVars[v.index].named == isNamed) nameOf[v.index] = names.make(solution.dims.name(v));
  for (DimVar v : sizes.plain) {
    const DimVar symbol = freshDim(c.solver, nameOf[v.index], true);
    solution.dimVars.edit(v.index).binding = solution.dims.variable(symbol);
    state.entry.symbols.push_back(symbol);
  }
  for (DimVar length : sizes.ragged) {
    const DimVar rows = freshDim(c.solver, names.make(solution.dims.name(length)), true);
    state.entry.symbols.push_back(rows);
    state.entry.lengths.push_back({length, rows});
  }
}

namespace {

constexpr Message<arg::Name, arg::Name, arg::Type> outputSizeOpen{
    codes::openEntry, "the size {} of the result {} does not follow from the inputs: {}", "this entry"};

}  // namespace

Phrase settingOptions(Solution& solution, const std::vector<DimVar>& sizes, ExampleSizes& numbers) {
  constexpr std::int64_t anySize = 4;
  DimStore& dims = solution.dims;
  Phrase options = "";
  for (DimVar size : sizes) {
    const std::int64_t number = numbers.of(dims.variable(size), anySize);
    const arg::Code option{fmt::format("--set {}={}", dims.name(size), number)};
    options = options.text.empty() ? Phrase("{}", option) : Phrase("{}, {}", options, option);
  }
  return options;
}

bool checkOutputSizes(EntryState& state) {
  Checked& c = state.checked;
  const std::vector<DimVar>& symbols = state.entry.symbols;
  for (const EntryPort& port : state.entry.outputs) {
    OpenVariables open;
    collectVariables(c.solver, port.type, open);
    for (DimVar size : open.dims) {
      if (isMadeInRun(c.solution, size) || std::find(symbols.begin(), symbols.end(), size) != symbols.end()) continue;
      Diagnostic& d = report(state, outputSizeOpen, state.span, arg::Name{c.solution.dims.name(size)},
                             arg::Name{port.name}, arg::Type{printType(c, port.type)});
      // In a graph, values decide how sizes broadcast.
      ExampleSizes numbers(state);
      if (c.isGraph && !symbols.empty())
        d.addHelp("the sizes of the inputs decide it; give them: {}", settingOptions(c.solution, symbols, numbers));
      return false;
    }
  }
  return true;
}

}  // namespace axle
