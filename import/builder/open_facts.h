// Collects the facts about sizes that the solver could neither prove nor refute, in their simplest form: a run must
// check them.
#pragma once

#include <string>
#include <vector>

#include "frontend/diagnostic.h"
#include "import/builder/graph_typer.h"

namespace axle {

// A condition that the sizes of a run must meet, and the places that require it.
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
// Returns the facts among constraints that the solver could not decide, each solved for its size if it is about one
// size only. `pending` must outlive the result.
std::vector<OpenFact> openFacts(GraphTyper& typer, const std::vector<Constraint>& pending);

}  // namespace axle
