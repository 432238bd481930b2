// Decides equations of shapes that can be split in several ways although all ranks are known: `s @ [n] @ r == [3, 1]`.
#include <algorithm>
#include <set>

#include "typecheck/entry/entry_codes.h"
#include "typecheck/entry/entry_steps.h"
#include "typecheck/solver/conflicts.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/rank_splits.h"
#include "typecheck/solver/trial.h"
#include "typecheck/solver/variables.h"

namespace axle {

namespace {

constexpr Message<arg::Subject, arg::Shape, arg::Shape, arg::Number> splitsDiffer{
    codes::severalSplits, "{}: the shape {} can be split as {} in {} ways, with different results",
    "nothing says which is meant"};

// The data by which a program could distinguish splits: its results, the operands of other constraints, the sizes
// between the parts.
struct Observed {
  std::vector<TypeId> types;
  std::vector<Shape> shapes;
  std::vector<Dim> dims;
};

Observed observedBeside(EntryState& state, const OpenSplit& split) {
  Checked& c = state.checked;
  Observed observed;
  observed.types.push_back(state.type);
  for (const Constraint& constraint : pendingConstraints(c.solver))
    forEachOperand(constraint, [&](const auto& operand) {
      using Operand = std::decay_t<decltype(operand)>;
      if constexpr (std::is_same_v<Operand, Shape>) observed.shapes.push_back(operand);
      if constexpr (std::is_same_v<Operand, TypeId>) observed.types.push_back(operand);
      OpenVariables inside;
      if constexpr (!std::is_same_v<Operand, Shape>) collectVariables(c.solver, operand, inside);
      for (DimVar v : inside.dims) observed.dims.push_back(c.solution.dims.variable(v));
    });
  for (const ShapePart& part : split.open)
    if (!part.isVar) observed.dims.push_back(part.dim);
  for (ShapeVar v : split.variables)
    if (c.solution.shapeVars[v.index].metLiteral) observed.shapes.push_back({ShapePart::of(v)});
  return observed;
}

std::vector<std::string> textsOf(Checked& c, const Observed& observed) {
  std::vector<std::string> texts = printTypes(c, observed.types);
  for (const Shape& shape : observed.shapes) texts.push_back(printShape(c, shape));
  for (Dim dim : observed.dims) texts.push_back(c.solution.dims.print(c.solution.resolve(dim)));
  return texts;
}

// Prints a split: "s = [], n = 3, r = [1]".
std::string describe(Checked& c, const OpenSplit& split) {
  std::vector<std::string> seen;
  std::string out;
  for (const ShapePart& part : split.open) {
    const auto size = part.isVar ? std::nullopt : c.solution.dims.asVariable(part.dim);
    if (!part.isVar && !size) continue;
    const std::string name = part.isVar ? c.solution.shapeVars[part.var.index].name : c.solution.dims.name(*size);
    if (std::ranges::find(seen, name) != seen.end()) continue;
    seen.push_back(name);
    const std::string value =
        part.isVar ? show(c.solver, c.solution.resolve(Shape{part})) : show(c.solver, c.solution.resolve(part.dim));
    out += (out.empty() ? "" : ", ") + name + " = " + (value.empty() ? "[]" : value);
  }
  return out;
}

void reportSplits(EntryState& state, const OpenSplit& split) {
  Checked& c = state.checked;
  const Reason why = c.provenance[split.reason];
  Diagnostic& d =
      report(state, splitsDiffer, why.span, arg::Subject{why.subject}, arg::Shape{show(c.solver, split.known)},
             arg::Shape{show(c.solver, split.open)}, arg::Number{split.choices.size()});
  constexpr std::size_t most = 4;
  for (std::size_t i = 0; i < std::min(most, split.choices.size()); ++i) {
    const Trial trial(c.solver);
    takeSplit(c.solver, split, split.choices[i]);
    d.addNote("{} fits", arg::Code{describe(c, split)});
  }
  if (split.choices.size() > most) d.addNote("and so do {} others", arg::Number{split.choices.size() - most});
  d.addHelp("give all parts but one their ranks, as in {}", arg::Code{"s @ [n, m]"});
}

}  // namespace

bool settleSplits(EntryState& state, bool& moved) {
  Checked& c = state.checked;
  const auto split = firstOpenSplit(c.solver);
  moved = split && !split->choices.empty();
  if (!moved) return true;
  const Observed observed = observedBeside(state, *split);
  std::set<std::vector<std::string>> meanings;
  for (const std::vector<std::size_t>& ranks : split->choices) {
    const Trial trial(c.solver);
    takeSplit(c.solver, *split, ranks);
    meanings.insert(textsOf(c, observed));
  }
  if (meanings.size() > 1) {
    reportSplits(state, *split);
    return false;
  }
  takeSplit(c.solver, *split, split->choices.front());
  return true;
}

}  // namespace axle
