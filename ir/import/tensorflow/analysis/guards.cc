// What the sizes of the run decide.
#include <algorithm>

#include <fmt/format.h>

#include "ir/import/tensorflow/analysis/analysis.h"

namespace axle::tensorflow {

std::vector<Analysis::Guard> Analysis::guards() {
  std::vector<Guard> out;
  std::set<std::string> told;
  Checked& checked = typer_.checked();
  DimStore& dims = typer_.solution().dims;
  for (const Constraint& c : checked.solver.pending()) {
    Guard guard;
    const Reason& why = checked.provenance[c.reason];
    guard.sources.push_back({why.span, why.subject + " needs it"});
    std::vector<ShapePart> sides;
    if (c.kind == ConstraintKind::broadcastDim) {
      sides = {c.shapes[1][0], c.shapes[2][0]};
      guard.text = fmt::format("{} == {}", printNamed(sides[0].dim), printNamed(sides[1].dim));
      for (const ShapePart& side : sides)
        if (!dims.asConstant(typer_.solution().resolve(side.dim)))
          guard.text += fmt::format(" or {} == 1", printNamed(side.dim));
    } else if (c.kind == ConstraintKind::fact || c.kind == ConstraintKind::dimEqual) {
      DimFact fact = factOf(checked, c);
      sides = {ShapePart::of(fact.left), ShapePart::of(fact.right)};
      guard.text =
          fmt::format("{} {} {}", printNamed(fact.left), axle::spelling(fact.relation), printNamed(fact.right));
    } else {
      continue;
    }
    if (!told.insert(guard.text).second) continue;
    for (const ShapePart& side : sides)
      for (Span place : typer_.placesOf(side)) {
        auto same = [&](const Label& label) { return std::get<Span>(label.place) == place; };
        if (std::any_of(guard.sources.begin(), guard.sources.end(), same)) continue;
        guard.sources.push_back({place, fmt::format("{} comes from here", printNamed(side.dim))});
      }
    out.push_back(std::move(guard));
  }
  return out;
}

}  // namespace axle::tensorflow
