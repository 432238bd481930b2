// What the solver leaves to the sizes of the run: facts to check, as people would write them.
#pragma once

#include <string>
#include <vector>

#include "frontend/diagnostic.h"
#include "import/builder/graph_typer.h"

namespace axle {

// A condition that the sizes of a run must meet, and the places that ask for it.
struct Guard {
  std::string text;
  std::vector<Label> sources;  // each place once

  void addSource(Span place, std::string label);
};

struct OpenFact {
  const Constraint* constraint;
  DimFact fact;
  bool isImplied;  // by the other facts
};
// Of constraints that the solver could not decide, those that relate two sizes; simplified where they are about one.
// `pending` must outlive the result.
std::vector<OpenFact> openFacts(GraphTyper& typer, const std::vector<Constraint>& pending);

}  // namespace axle
