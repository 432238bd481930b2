// Decides what only waits for a choice when a binding is generalised, or its module ends.
#include <algorithm>
#include <map>
#include <set>

#include "typecheck/infer/broadcast_sets.h"
#include "typecheck/infer/scheme.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/rank_splits.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

// The least shape of a literal that is the state of a loop: of s = s # a # b it is a # b. Empty for any other literal.
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

// Gives shape [] to each literal whose shape only broadcasts; a literal that is a parameter's has that one's shape.
bool settleLiterals(Checked& c, const VariableMark& since, const std::vector<TypeId>& given) {
  bool any = false;
  OpenVariables ofParameters;
  for (TypeId type : given) collectVariables(c.solver, type, ofParameters);
  auto isGiven = [&](std::size_t i) {
    return std::find(ofParameters.shapes.begin(), ofParameters.shapes.end(), ShapeVar{static_cast<std::uint32_t>(i)}) !=
           ofParameters.shapes.end();
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

// Makes a tensor of the result of a cell that is still open.
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

}  // namespace

void settleOpenChoices(Checked& c, const VariableMark& since, const std::vector<TypeId>& given) {
  solve(c.solver);
  bool moved = true;
  while (moved && c.solver.conflicts.empty()) {
    moved = settleLiterals(c, since, given);
    equateBroadcastSizes(c.solver, [&](const Constraint& constraint) { return mentionsQuantifiable(c, constraint); });
    solve(c.solver);
    moved |= settleCollected(c);
    if (c.solver.conflicts.empty()) moved |= mergeEqualBroadcasts(c);
    if (!moved && c.solver.conflicts.empty())
      moved = equateParallelShapes(c.solver,
                                   [&](const Constraint& constraint) { return mentionsQuantifiable(c, constraint); });
    if (!moved && c.solver.conflicts.empty())
      moved = settleRanks(c.solver, [&](const Constraint& constraint) { return mentionsQuantifiable(c, constraint); });
    if (!moved && c.solver.conflicts.empty())
      moved = settleFacts(c.solver, [&](const Constraint& constraint) { return mentionsQuantifiable(c, constraint); });
  }
  if (c.solver.conflicts.empty() && !c.isGraph)
    checkDetermined(
        c.solver, [&](const Constraint& constraint) { return mentionsQuantifiable(c, constraint); }, given);
}

}  // namespace axle
