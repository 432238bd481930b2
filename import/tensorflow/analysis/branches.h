// Branches: If and Case, whose branches are functions, and the facts that the cases of a branch have in common.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Analysis;
struct StructuralNode;
struct StructuralOperator;

// The outlet whose number selects one of several cases: the first for false or 0, the last for all numbers without a
// case.
struct Selector {
  Frame* frame = nullptr;  // null if it is not known
  Outlet outlet;
};

// The names of the result of branches, and of each branch, in errors.
struct CaseNames {
  std::string result;
  std::vector<std::string> cases;
};

// A value that is one of several cases.
struct MergedCases {
  OutletFacts cases;
  Selector by;
  OutletFact merged;
  Span at;
  CaseNames names;
};

// All values that one selector selects: `cases` by case and outlet, `results` by outlet.
struct Branch {
  Selector by;
  std::vector<OutletFacts> cases;
  OutletFacts results;
  Span at;
  std::string name;
};

struct Branches {
  std::deque<MergedCases> merged;
  std::map<Site, std::vector<Branch>> byNode;  // of If, Case, and assignments behind a Switch
};

// Returns the number of the selected case, if it is known.
std::optional<std::size_t> selectedCase(Analysis& analysis, const Selector& by, std::size_t count);

// Returns the fact of a value that is one of `cases`. Their common facts may be known later: see `inferMergedCases`.
OutletFact mergeCases(Analysis& analysis, OutletFacts cases, const Selector& by, const std::string& name, Span at,
                      CaseNames names);

// Gives merged values the facts that their cases have in common by now. Returns whether something was learnt.
bool inferMergedCases(Analysis& analysis);

std::span<const StructuralOperator> branchOperators();

}  // namespace axle::tensorflow
