// Decides constraints that wait for a choice, when a binding is generalised or its module ends.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "typecheck/infer/broadcast_sets.h"
#include "typecheck/infer/scheme.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/equal_terms.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/rank_splits.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

// Returns the least shape of a literal that is the state of a loop: a # b for s = s # a # b. Empty for any other
// literal.
Shape leastShape(Checked& c, ShapeVar literal) {
  std::map<std::uint32_t, Pending<constraint::Broadcast>> definitions;
  for (const Pending<constraint::Broadcast>& broadcast : pendingOf<constraint::Broadcast>(c.solver)) {
    Shape result = c.solution.resolve(broadcast->result);
    if (result.size() == 1 && result[0].isVar) definitions.emplace(result[0].var.index, broadcast);
  }
  std::vector<Shape> open{{ShapePart::of(literal)}}, others;
  std::set<std::uint32_t> opened;
  bool isState = false;  // it is an operand of its own definition
  for (std::size_t i = 0; i < open.size(); ++i) {
    Shape flat = c.solution.resolve(open[i]);
    bool isVariable = flat.size() == 1 && flat[0].isVar;
    if (isVariable && i > 0 && flat[0].var == literal) {
      isState = true;
      continue;
    }
    auto definition = isVariable ? definitions.find(flat[0].var.index) : definitions.end();
    if (definition == definitions.end()) {
      others.push_back(flat);
    } else if (opened.insert(definition->first).second) {
      open.push_back(definition->second->left);
      open.push_back(definition->second->right);
    }
  }
  if (!isState || others.empty()) return {};
  Shape least = others[0];
  const ReasonId reason = definitions.at(literal.index).reason;
  for (std::size_t i = 1; i < others.size(); ++i) {
    Shape result{ShapePart::of(freshShape(c.solver, "s"))};
    addConstraint(c.solver, reason, constraint::Broadcast{result, least, others[i]});
    solve(c.solver);
    least = c.solution.resolve(result);
  }
  return least;
}

std::vector<ShapeVar> shapesOf(Checked& c, const std::vector<TypeId>& types) {
  OpenVariables open;
  for (TypeId type : types) collectVariables(c.solver, type, open);
  return open.shapes;
}

// Ranks that the callers do not give are decided by the binding's own equations. Those of parameters stay open where a
// size that is 1 at a call may stretch.
bool settleBroadcastRanks(Checked& c, const std::vector<TypeId>& given) {
  const std::vector<ShapeVar> ofParameters = shapesOf(c, given);
  return takeBroadcastRanks(c.solver, [&](ShapeVar v) {
    return isQuantifiable(c.solution.shapeVars[v.index], c.solver.level) &&
           std::ranges::find(ofParameters, v) == ofParameters.end();
  });
}

// Gives shape [] to each literal whose shape is only broadcast; a literal whose shape equals a parameter's keeps that
// one.
bool settleLiterals(Checked& c, const VariableMark& since, const std::vector<TypeId>& given) {
  bool any = false;
  const std::vector<ShapeVar> ofParameters = shapesOf(c, given);
  auto isGiven = [&](std::size_t i) {
    return std::ranges::find(ofParameters, ShapeVar{static_cast<std::uint32_t>(i)}) != ofParameters.end();
  };
  for (std::size_t i = since.shapes; i < c.solution.shapeVars.size(); ++i) {
    const ShapeVarInfo& info = c.solution.shapeVars[i];
    if (!info.metLiteral || !isQuantifiable(info, c.solver.level) || (!info.literal && isGiven(i))) continue;
    ShapeVar literal{static_cast<std::uint32_t>(i)};
    unifyShape(c.solver, {ShapePart::of(literal)}, leastShape(c, literal), {});
    solve(c.solver);
    if (!c.solution.shapeVars[i].binding && c.solver.conflicts.empty())
      unifyShape(c.solver, {ShapePart::of(literal)}, {}, {});
    solve(c.solver);
    any = true;
  }
  return any;
}

// Makes the result of a cell a tensor if it is still open.
bool settleCollected(Checked& c) {
  for (const Pending<constraint::Collect>& pending : pendingOf<constraint::Collect>(c.solver)) {
    const ReasonId reason = pending.reason;
    if (!mentionsQuantifiable(c, {reason, *pending.constraint})) continue;
    TypeId element = c.solution.resolve(pending->element);
    const TypeTerm& term = c.solution.types[element];
    if (term.kind != TypeKind::var || !isQuantifiable(c.solution.typeVars[term.var.index], c.solver.level)) continue;
    TypeTerm tensor;
    tensor.kind = TypeKind::tensor;
    tensor.elem = ElemTerm::of(freshElem(c.solver, "u"));
    tensor.shape = {ShapePart::of(freshShape(c.solver, "r"))};
    unify(c.solver, element, c.solution.types.add(std::move(tensor)), reason);
    solve(c.solver);
    return true;
  }
  return false;
}

// A variable that equals an expression of itself: `m == min(m, n)`.
struct SelfEquation {
  DimVar variable;
  Dim value;
};

std::optional<SelfEquation> selfEquation(Solution& solution, const constraint::DimEqual& equation) {
  const Dim sides[] = {solution.resolve(equation.left.dim), solution.resolve(equation.right.dim)};
  for (const auto& [name, value] : {std::pair(sides[0], sides[1]), std::pair(sides[1], sides[0])}) {
    const auto v = solution.dims.asVariable(name);
    const auto inside = solution.dims.variables(value);
    if (v && name != value && solution.kindOf(value) == DimKind::plain &&
        std::find(inside.begin(), inside.end(), *v) != inside.end())
      return SelfEquation{*v, value};
  }
  return std::nullopt;
}

// Returns the shape variables that are bound to a shape with a size of this value.
std::vector<std::size_t> shapesWith(Solution& solution, const VariableMark& since, Dim value) {
  std::vector<std::size_t> found;
  for (std::size_t i = since.shapes; i < solution.shapeVars.size(); ++i) {
    if (!solution.shapeVars[i].binding) continue;
    const Shape& shape = *solution.shapeVars[i].binding;
    if (std::ranges::any_of(shape,
                            [&](const ShapePart& part) { return !part.isVar && solution.resolve(part.dim) == value; }))
      found.push_back(i);
  }
  return found;
}

// Whether a variable is itself a size of a tensor among the types.
bool isAxisOf(Solution& solution, DimVar v, const std::vector<TypeId>& types) {
  return std::ranges::any_of(types, [&](TypeId type) {
    const Shape shape = solution.resolve(solution.types[solution.resolve(type)].shape);
    return std::ranges::any_of(shape, [&](const ShapePart& part) {
      return !part.isVar && solution.dims.asVariable(solution.resolve(part.dim)) == v;
    });
  });
}

// For `m == min(m, n)`, rebinds variables bound to `min(m, n) + 1` to `m + 1`, so that an axis of that size determines
// `m`, unless an axis is already `m`. A name that the user gave to `min(m, n)` replaces `m`.
void bindToSelves(Checked& c, const VariableMark& since, const std::vector<TypeId>& given) {
  Solution& solution = c.solution;
  DimStore& dims = solution.dims;
  for (const Pending<constraint::DimEqual>& pending : pendingOf<constraint::DimEqual>(c.solver)) {
    const ReasonId reason = pending.reason;
    if (!mentionsQuantifiable(c, {reason, *pending.constraint})) continue;
    const auto equation = selfEquation(solution, {pending->left, pending->right});
    if (!equation || isAxisOf(solution, equation->variable, given)) continue;
    const auto [v, value] = *equation;
    std::vector<std::pair<std::size_t, Dim>> bound;  // with the difference to `value`
    for (std::size_t i = since.dims; i < solution.dimVars.size(); ++i) {
      const Dim its = solution.dimVars[i].binding ? solution.resolve(*solution.dimVars[i].binding) : dims.constant(0);
      if (dims.asVariable(its) || dims.asConstant(its)) continue;
      if (const Dim more = dims.sub(its, value); dims.asConstant(more)) bound.emplace_back(i, more);
    }
    const std::vector<std::size_t> shapes = shapesWith(solution, since, value);
    if (bound.empty() && shapes.empty()) continue;
    Dim self = dims.variable(v);
    for (const auto& [i, more] : bound)
      if (more == dims.constant(0) && solution.dimVars[i].named && !solution.dimVars[v.index].named) {
        self = dims.variable({static_cast<std::uint32_t>(i)});
        solution.dimVars.edit(i).binding = std::nullopt;
        solution.dimVars.edit(v.index).binding = self;
        break;
      }
    for (const auto& [i, more] : bound)
      if (dims.variable({static_cast<std::uint32_t>(i)}) != self)
        solution.dimVars.edit(i).binding = dims.add(self, more);
    for (std::size_t i : shapes) {
      ShapeVarInfo& info = solution.shapeVars.edit(i);
      for (ShapePart& part : *info.binding)
        if (!part.isVar && solution.resolve(part.dim) == value) part.dim = self;
      info.flat = std::nullopt;
    }
    // The original equation may mention rebound variables.
    addConstraint(c.solver, reason, constraint::DimEqual{ShapePart::of(self), ShapePart::of(value)});
  }
  solve(c.solver);
}

}  // namespace

void settleOpenChoices(Checked& c, const VariableMark& since, const std::vector<TypeId>& given) {
  const std::function<bool(const Constraint&)> ofBinding = [&](const Constraint& constraint) {
    return mentionsQuantifiable(c, constraint);
  };
  solve(c.solver);
  bool moved = true;
  while (moved && c.solver.conflicts.empty()) {
    moved = settleLiterals(c, since, given);
    equateBroadcastSizes(c.solver, ofBinding);
    solve(c.solver);
    moved |= settleCollected(c);
    if (c.solver.conflicts.empty()) moved |= mergeEqualBroadcasts(c);
    if (!moved && c.solver.conflicts.empty()) moved = settleBroadcastRanks(c, given);
    for (const auto settle : {equateEqualShapes, equateEqualFunctions, broadcastEqualShapes, settleRanks, settleFacts})
      if (!moved && c.solver.conflicts.empty()) moved = settle(c.solver, ofBinding);
  }
  if (c.solver.conflicts.empty()) bindToSelves(c, since, given);
  if (c.solver.conflicts.empty() && !c.isGraph) checkDetermined(c.solver, ofBinding, given);
}

}  // namespace axle
