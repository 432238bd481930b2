#include "typecheck/report/scheme_facts.h"

#include <algorithm>

#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/variables.h"

namespace axle {

bool ofTheRun(Checked& c, Dim d) {
  OpenVariables v;
  collectVariables(c.solver, d, v);
  return std::any_of(v.dims.begin(), v.dims.end(), [&](DimVar var) {
    const DimVarInfo& info = c.solution.dimVars[var.index];
    return info.rigid && !info.universal;
  });
}

std::vector<DimFact> factsOf(Checked& c, const Scheme* scheme) {
  std::vector<DimFact> out;
  if (!scheme) return out;
  out = scheme->stated;
  for (const Constraint& constraint : scheme->constraints) {
    auto fact = comparisonOf(constraint);
    if (fact && !ofTheRun(c, fact->left) && !ofTheRun(c, fact->right)) out.push_back(factOf(c, constraint));
  }
  return out;
}

}  // namespace axle
